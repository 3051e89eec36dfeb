import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { Button } from '../form/button.tsx'
import { TypedField } from '../form/typed-field.tsx'
import { QuestionDialog } from './question-dialog.tsx'

type ConfirmProps = {
  isOpen: boolean
  onClose: () => void
  title: string
  children: ReactNode
  /** The label of the button, a verb. */
  action: string
  onConfirm: () => void
  isPending?: boolean
  isDangerous?: boolean
  /** More to fill in, below the text. */
  fields?: ReactNode
  /** False as long as the fields do not allow it. */
  isReady?: boolean
  /** Must be typed before the button works: for actions that cannot be undone. */
  typed?: string
}

/** Asks for confirmation. Focus starts on Cancel. */
export function Confirm({ isOpen, ...props }: ConfirmProps) {
  // Mounted with each opening, so that the field starts empty.
  return isOpen ? <Question {...props} /> : null
}

function Question({
  onClose,
  title,
  children,
  action,
  onConfirm,
  isPending = false,
  isDangerous = false,
  fields,
  isReady: areFieldsReady = true,
  typed,
}: Omit<ConfirmProps, 'isOpen'>) {
  const formId = useId()
  const [text, setText] = useState('')
  const isReady = areFieldsReady && (typed === undefined || text.trim() === typed)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady) onConfirm()
  }
  return (
    <QuestionDialog
      onClose={onClose}
      title={title}
      form={
        typed === undefined ? (
          fields
        ) : (
          <form id={formId} onSubmit={submit} className="space-y-5">
            {fields}
            <TypedField expected={typed} value={text} onChange={setText} />
          </form>
        )
      }
      footer={
        <Button
          {...(typed === undefined ? { onClick: onConfirm } : { type: 'submit', form: formId })}
          variant={isDangerous ? 'danger' : 'primary'}
          disabled={!isReady}
          isPending={isPending}
        >
          {action}
        </Button>
      }
    >
      {children}
    </QuestionDialog>
  )
}

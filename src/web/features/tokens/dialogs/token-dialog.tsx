import { type ReactNode, useId } from 'react'
import { Button } from '../../../ui/form/button.tsx'
import { Dialog } from '../../../ui/overlay/dialog.tsx'

type TokenDialogProps = {
  title: string
  description: string
  /** The label of the submit button. */
  action: string
  isPending: boolean
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}

/** The frame of the three token forms. */
export function TokenDialog({
  title,
  description,
  action,
  isPending,
  onSubmit,
  onClose,
  children,
}: TokenDialogProps) {
  const formId = useId()
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" isPending={isPending}>
            {action}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        className="grid gap-5 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
      >
        {children}
      </form>
    </Dialog>
  )
}

import {
  type ComponentProps,
  type FormEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
} from 'react'
import { Button } from '../form/button.tsx'
import { Dialog } from './dialog.tsx'

type FormDialogProps = Pick<
  ComponentProps<typeof Dialog>,
  'onClose' | 'title' | 'description' | 'isSticky'
> & {
  /** What the button that sends the form says. */
  verb: ReactNode
  isDanger?: boolean
  isPending?: boolean
  /** False as long as there is nothing to send. */
  isReady?: boolean
  onSubmit: (event: FormEvent<HTMLFormElement>) => unknown
  /** Buttons apart from the two at the end. */
  aside?: ReactNode
  className?: string
  children: ReactNode
}

/** A form in a dialog, with Cancel and the button that sends it. */
export function FormDialog(props: FormDialogProps) {
  const formId = useId()
  const {
    verb,
    isDanger,
    isPending = false,
    isReady = true,
    onSubmit,
    aside,
    className,
    ...dialog
  } = props
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    // A long form may end below the window, with the reason why it was refused.
    if (!isPending)
      form.current?.querySelector('[role=alert]')?.scrollIntoView({ block: 'nearest' })
  }, [isPending])
  return (
    <Dialog
      {...dialog}
      isOpen
      footer={
        <>
          {aside}
          <Button onClick={dialog.onClose}>Cancel</Button>
          <Button
            type="submit"
            form={formId}
            variant={isDanger ? 'danger' : 'primary'}
            disabled={!isReady}
            isPending={isPending}
          >
            {verb}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        ref={form}
        noValidate
        className={className}
        onSubmit={(event) => {
          event.preventDefault()
          // A portal keeps its place among React's parents: a form behind must not be sent.
          event.stopPropagation()
          if (isReady) void onSubmit(event)
        }}
      >
        {dialog.children}
      </form>
    </Dialog>
  )
}

import { useForm } from 'react-hook-form'
import { zodResolver } from '../../lib/forms/zod-resolver.ts'
import { Button } from '../../ui/form/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Input } from '../../ui/form/input.tsx'
import { checkSystem, type SystemFields } from './system-form.ts'

type SystemEditorProps = {
  label: string
  start: SystemFields
  action: string
  isPending: boolean
  onSave: (fields: SystemFields) => Promise<void>
  onCancel: () => void
}

/** Two fields in place of the line; Escape leaves without a change. */
export function SystemEditor(props: SystemEditorProps) {
  const { label, start, action, isPending, onSave, onCancel } = props
  const { register, handleSubmit, formState, setFocus } = useForm<SystemFields>({
    defaultValues: start,
    resolver: zodResolver(checkSystem),
  })
  return (
    <form
      noValidate
      aria-label={label}
      className="grid gap-3 sm:grid-cols-[1fr_1.5fr_auto]"
      onSubmit={(event) => void handleSubmit(onSave, () => setFocus('name'))(event)}
      onKeyDown={(event) => event.key === 'Escape' && onCancel()}
    >
      <Field label="Name" error={formState.errors.name?.message}>
        {(control) => <Input {...control} {...register('name')} autoFocus autoComplete="off" />}
      </Field>
      <Field label="Description (optional)" error={formState.errors.description?.message}>
        {(control) => <Input {...control} {...register('description')} autoComplete="off" />}
      </Field>
      <div className="flex gap-2 sm:mt-6.5">
        <Button type="submit" variant="primary" isPending={isPending}>
          {action}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  )
}

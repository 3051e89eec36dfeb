import { useForm } from 'react-hook-form'
import type { Template } from '#shared/api/servers/templates.ts'
import { templates } from '#shared/api/servers/templates.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { zodResolver } from '../../lib/forms/zod-resolver.ts'
import { Field } from '../../ui/form/field.tsx'
import { Input } from '../../ui/form/input.tsx'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'
import { useNodeInMany } from '../../widgets/cluster/use-places.ts'

type CloneDialogProps = {
  template: Template
  onClose: () => void
  onStarted: (jobId: string) => void
}

export function CloneDialog({ template, onClose, onStarted }: CloneDialogProps) {
  const place = useNodeInMany()(template.nodeId)
  const { register, handleSubmit, formState } = useForm<{ name: string }>({
    defaultValues: { name: '' },
    resolver: zodResolver((fields) => templates.clone.body.safeParse(fields)),
  })
  const clone = useAction(api.templates.clone, {
    done: (_, { body }) => ({
      title: 'Cloning...',
      description: `${template.name} → ${body.name}`,
    }),
    failed: 'Error',
    refresh: [api.jobs.list],
  })

  async function submit(body: { name: string }) {
    const outcome = await clone.run({ params: { id: template.id }, body })
    if (!outcome.ok) return
    onStarted(outcome.result.jobId)
    onClose()
  }

  return (
    <FormDialog
      onClose={onClose}
      title="Clone template"
      description={`Makes a VM from ${template.name}${place ? ` on ${place}` : ''}. This may take a few minutes; it goes on when you leave.`}
      verb="Clone"
      isPending={clone.isPending}
      onSubmit={handleSubmit(submit)}
    >
      <Field label="Name of the new instance" error={formState.errors.name?.message}>
        {(control) => <Input {...control} {...register('name')} autoComplete="off" />}
      </Field>
    </FormDialog>
  )
}

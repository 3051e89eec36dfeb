import { useId } from 'react'
import { useForm } from 'react-hook-form'
import type { Template } from '#shared/api/servers/templates.ts'
import { templates } from '#shared/api/servers/templates.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { zodResolver } from '../../lib/forms/zod-resolver.ts'
import { Button } from '../../ui/form/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Input } from '../../ui/form/input.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { useNodeInMany } from '../../widgets/cluster/use-places.ts'

type CloneDialogProps = {
  template: Template
  onClose: () => void
  onStarted: (jobId: string) => void
}

export function CloneDialog({ template, onClose, onStarted }: CloneDialogProps) {
  const formId = useId()
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
    <Dialog
      isOpen
      onClose={onClose}
      title="Clone template"
      description={`Makes a VM from ${template.name}${place ? ` on ${place}` : ''}. This may take a few minutes; it goes on when you leave.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" isPending={clone.isPending}>
            Clone
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={(event) => void handleSubmit(submit)(event)}>
        <Field label="Name of the new instance" error={formState.errors.name?.message}>
          {(control) => <Input {...control} {...register('name')} autoComplete="off" />}
        </Field>
      </form>
    </Dialog>
  )
}

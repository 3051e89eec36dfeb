import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { useForm } from 'react-hook-form'
import type { Template } from '#shared/api/servers/templates.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { zodResolver } from '../../lib/forms/zod-resolver.ts'
import { Button } from '../../ui/form/button.tsx'
import { Checkbox } from '../../ui/form/checkbox.tsx'
import { Field } from '../../ui/form/field.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { Textarea } from '../../ui/form/textarea.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { bodyOf, checkTemplate, fieldsOf, type TemplateFields } from './template-form.ts'

type TemplateConfigFormProps = { template: Template; onClose: () => void }

export function TemplateConfigForm({ template, onClose }: TemplateConfigFormProps) {
  const config = useQuery({
    ...query(api.templates.config, { params: { id: template.id } }),
    staleTime: 0,
    gcTime: 0,
  })
  return (
    <ListState query={config} failure="Failed to load configuration">
      {(found) => <Editor template={template} start={fieldsOf(found)} onClose={onClose} />}
    </ListState>
  )
}

function Editor({ template, start, onClose }: TemplateConfigFormProps & { start: TemplateFields }) {
  const onbootId = useId()
  const { register, handleSubmit, formState } = useForm<TemplateFields>({
    defaultValues: start,
    resolver: zodResolver(checkTemplate),
  })
  const save = useAction(api.templates.setConfig, {
    done: 'Configuration Updated',
    failed: { title: 'Update Failed', description: 'Failed to update VM configuration.' },
    refresh: [api.templates.list, api.nodes.templates, api.templates.config],
  })
  const { errors } = formState

  async function submit(fields: TemplateFields) {
    const { ok } = await save.run({ params: { id: template.id }, body: bodyOf(fields) })
    if (ok) onClose()
  }

  return (
    <form
      noValidate
      aria-label="Template configuration"
      className="max-w-xl space-y-5"
      onSubmit={(event) => void handleSubmit(submit)(event)}
    >
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField
          label="Memory (MB)"
          error={errors.memory?.message}
          {...register('memory')}
          type="number"
          min={16}
          inputMode="numeric"
        />
        <TextField
          label="CPU Cores"
          error={errors.cores?.message}
          {...register('cores')}
          type="number"
          min={1}
          inputMode="numeric"
        />
      </div>
      <Field label="Description" error={errors.description?.message}>
        {(control) => <Textarea {...control} {...register('description')} />}
      </Field>
      <div className="flex items-center gap-2">
        <Checkbox id={onbootId} {...register('onboot')} />
        <label htmlFor={onbootId}>Start on boot</label>
      </div>
      <div className="flex gap-2">
        <Button type="submit" variant="primary" isPending={save.isPending}>
          Save to Proxmox
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  )
}

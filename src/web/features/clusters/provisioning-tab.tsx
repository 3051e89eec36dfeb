import { useQuery } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import type { Cluster } from '#shared/api/servers/clusters.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { zodResolver } from '../../lib/forms/zod-resolver.ts'
import { Button } from '../../ui/form/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Input } from '../../ui/form/input.tsx'
import { Select } from '../../ui/form/select.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { ToggleField } from '../../ui/form/toggle-field.tsx'
import { checkSettings, fieldsOf, type SettingsFields, settingsOf } from './settings-form.ts'

const CLONE_MODES = [
  { value: 'full', label: 'Full clone: independent of its template' },
  { value: 'linked', label: 'Linked clone: quicker, needs its template' },
]

type ProvisioningTabProps = { cluster: Cluster; onClose: () => void }

/** How new VMs are created in this cluster: ids and placement. */
export function ProvisioningTab({ cluster, onClose }: ProvisioningTabProps) {
  const form = useForm<SettingsFields>({
    defaultValues: fieldsOf(cluster.settings),
    resolver: zodResolver(checkSettings),
  })
  const update = useAction(api.clusters.update, {
    done: 'Cluster updated successfully',
    failed: 'Update Failed',
    refresh: [api.clusters.list],
  })
  const stores = useQuery(query(api.clusters.backupStorages, { params: { id: cluster.id } }))
  const { register, formState } = form
  const { errors } = formState

  async function save(fields: SettingsFields) {
    const body = { settings: settingsOf(fields) }
    const { ok } = await update.run({ params: { id: cluster.id }, body })
    if (ok) onClose()
  }

  return (
    <form
      noValidate
      className="space-y-6"
      onSubmit={(event) => void form.handleSubmit(save)(event)}
    >
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField
          label="First VM id"
          error={errors.firstVmId?.message}
          {...register('firstVmId')}
          inputMode="numeric"
          className="font-mono"
        />
        <TextField
          label="Last VM id"
          error={errors.lastVmId?.message}
          {...register('lastVmId')}
          inputMode="numeric"
          className="font-mono"
        />
        <Field label="Resource pool (optional)" error={errors.pool?.message}>
          {(control) => <Input {...control} {...register('pool')} className="font-mono" />}
        </Field>
        <Field
          label="Storage (optional)"
          hint="Empty: that of the template."
          error={errors.storage?.message}
        >
          {(control) => <Input {...control} {...register('storage')} className="font-mono" />}
        </Field>
        <Field
          label="Storage for backups (optional)"
          hint="Another than that of the disks. Empty: no backups are made."
          error={errors.backupStorage?.message}
          className="sm:col-span-2"
        >
          {(control) => (
            <Input
              {...control}
              {...register('backupStorage')}
              list="backup-storages"
              className="font-mono"
            />
          )}
        </Field>
        <datalist id="backup-storages">
          {stores.data?.map(({ storage }) => (
            <option key={storage} value={storage} />
          ))}
        </datalist>
        <Field label="Cloning" error={errors.cloneMode?.message} className="sm:col-span-2">
          {(control) => <Select {...control} {...register('cloneMode')} options={CLONE_MODES} />}
        </Field>
        <ToggleField
          {...register('directConsole')}
          label="Direct console"
          hint="Opens the cluster's own console page. Clients then learn its address."
          className="sm:col-span-2"
        />
        <ToggleField
          {...register('guestAgent')}
          label="Guest agent"
          hint="Sets new passwords in VMs you sell as Ready tokens, and in other running servers without a restart. The right it needs also lets this account run commands as root in every guest of the pool. Off: Ready tokens are not sold."
          className="sm:col-span-2"
        />
      </div>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={update.isPending}>
          Save
        </Button>
      </div>
    </form>
  )
}

import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { MOST_BACKUPS } from '#shared/rules/instance/backups.ts'
import { MOST_SNAPSHOT_DAYS, MOST_SNAPSHOTS } from '#shared/rules/instance/snapshots.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { Checkbox } from '../../ui/form/checkbox.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Input } from '../../ui/form/input.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { Textarea } from '../../ui/form/textarea.tsx'
import { ToggleField } from '../../ui/form/toggle-field.tsx'
import { osChoices, type PackageFields } from './package-form.ts'
import { TrafficFields } from './traffic-fields.tsx'

const TEXTS: readonly [
  name: 'cpu' | 'ram' | 'storage' | 'bandwidth' | 'traffic',
  label: string,
  example: string,
][] = [
  ['cpu', 'CPU', '2 CPU'],
  ['ram', 'RAM', '4 GB RAM'],
  ['storage', 'Storage', '80 GB SSD'],
  ['bandwidth', 'Bandwidth (optional)', '1 Gbit/s'],
  ['traffic', 'Traffic (optional)', '2 TB'],
]

type FormProps = { form: UseFormReturn<PackageFields> }

export function PackageFieldset({ form }: FormProps) {
  const { register, formState } = form
  const { errors } = formState
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <Field label="Name" error={errors.name?.message} className="sm:col-span-2">
        {(control) => <Input {...control} {...register('name')} autoComplete="off" />}
      </Field>
      <Field
        label="Description (optional)"
        error={errors.description?.message}
        className="sm:col-span-2"
      >
        {(control) => <Textarea {...control} {...register('description')} rows={2} />}
      </Field>
      {TEXTS.map(([name, label, example]) => (
        <TextField
          key={name}
          label={label}
          error={errors[name]?.message}
          {...register(name)}
          placeholder={example}
          autoComplete="off"
        />
      ))}
      <TextField
        label="Price (USD)"
        error={errors.price?.message}
        {...register('price')}
        type="number"
        min="0"
        step="0.01"
        inputMode="decimal"
        className="tabular"
      />
      <TextField
        label="Snapshots"
        hint="At most at once for each server. 0: none."
        error={errors.snapshotQuota?.message}
        {...register('snapshotQuota')}
        type="number"
        min="0"
        max={MOST_SNAPSHOTS}
        inputMode="numeric"
        className="tabular"
      />
      <TextField
        label="Days a snapshot is kept"
        hint="At most; then it deletes itself."
        error={errors.snapshotDays?.message}
        {...register('snapshotDays')}
        type="number"
        min="1"
        max={MOST_SNAPSHOT_DAYS}
        inputMode="numeric"
        className="tabular"
      />
      <TextField
        label="Backups"
        hint="At most for each server, on the cluster's storage for backups. 0: none."
        error={errors.backupLimit?.message}
        {...register('backupLimit')}
        type="number"
        min="0"
        max={MOST_BACKUPS}
        inputMode="numeric"
        className="tabular"
      />
      <TrafficFields form={form} />
      <OsOptions form={form} />
      <Field
        label="Special note (optional)"
        error={errors.specialNote?.message}
        className="sm:col-span-2"
      >
        {(control) => <Input {...control} {...register('specialNote')} autoComplete="off" />}
      </Field>
      <ToggleField
        label="Last backup"
        hint="One more when the time of a server ends, deleted with the server."
        {...register('lastBackup')}
      />
      <ToggleField
        label="Mail by port 25"
        hint="Open on new servers. Otherwise an operator opens it for one server."
        {...register('mailOpen')}
      />
      <ToggleField label="Popular" hint="Marked on the pricing page." {...register('popular')} />
      <ToggleField label="Active" hint="On sale." {...register('active')} />
      <ToggleField
        label="IPv6 only"
        hint="Its servers get no IPv4 address. Needs an IPv6 pool."
        {...register('ipv6Only')}
      />
    </div>
  )
}

function OsOptions({ form }: FormProps) {
  const id = useId()
  const systems = useQuery(query(api.operatingSystems.list))
  const choices = osChoices(systems.data ?? [], form.formState.defaultValues?.osOptions as string[])
  const error = form.formState.errors.osOptions?.message
  return (
    <fieldset className="sm:col-span-2">
      <legend className="mb-1.5 font-semibold">Operating systems</legend>
      <div className="grid gap-x-5 gap-y-1 sm:grid-cols-2">
        {choices.map((name) => (
          <div key={name} className="flex min-h-8 items-center gap-2">
            <Checkbox {...form.register('osOptions')} id={`${id}-${name}`} value={name} />
            <label htmlFor={`${id}-${name}`}>{name}</label>
          </div>
        ))}
      </div>
      {systems.isError && (
        <p className="mt-1.5 text-ink-soft">
          The other operating systems could not be loaded. Those shown are kept.
        </p>
      )}
      {error && <p className="mt-1.5 text-bad">{error}</p>}
    </fieldset>
  )
}

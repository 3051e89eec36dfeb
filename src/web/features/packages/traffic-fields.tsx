import type { UseFormReturn } from 'react-hook-form'
import { MOST_MBIT, MOST_TRAFFIC_GB, type TrafficCounts } from '#shared/rules/network/traffic.ts'
import { Field } from '../../ui/form/field.tsx'
import { Select } from '../../ui/form/select.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import type { PackageFields } from './package-form.ts'

type Limit = {
  name: 'rateMbit' | 'trafficGb' | 'slowMbit'
  label: string
  hint: string
  min: number
  max: number
}

const LIMITS: Limit[] = [
  {
    name: 'rateMbit',
    label: 'Bandwidth limit (Mbit/s)',
    hint: 'In each direction. Empty: unlimited.',
    min: 1,
    max: MOST_MBIT,
  },
  {
    name: 'trafficGb',
    label: 'Traffic per period (GB)',
    hint: 'Empty: unlimited. 0: slowed from the start.',
    min: 0,
    max: MOST_TRAFFIC_GB,
  },
  {
    name: 'slowMbit',
    label: 'Slowed to (Mbit/s)',
    hint: 'Once the traffic is used up, until the period ends.',
    min: 1,
    max: MOST_MBIT,
  },
]

const COUNTS: { value: TrafficCounts; label: string }[] = [
  { value: 'both', label: 'In both directions' },
  { value: 'out', label: 'Only from the server' },
]

/** What each server of the package may send and receive. */
export function TrafficFields({ form }: { form: UseFormReturn<PackageFields> }) {
  const { register, formState } = form
  const { errors } = formState
  return (
    <>
      {LIMITS.map(({ name, label, hint, min, max }) => (
        <TextField
          key={name}
          label={label}
          hint={hint}
          error={errors[name]?.message}
          {...register(name)}
          type="number"
          min={min}
          max={max}
          inputMode="numeric"
          className="tabular"
        />
      ))}
      <Field label="Traffic counts" error={errors.trafficCounts?.message}>
        {(control) => <Select {...control} {...register('trafficCounts')} options={COUNTS} />}
      </Field>
    </>
  )
}

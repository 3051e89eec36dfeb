import type { UseFormReturn } from 'react-hook-form'
import { osTypeWords } from '../../lib/instance/os-type.ts'
import { Field } from '../../ui/form/field.tsx'
import { Select } from '../../ui/form/select.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { ToggleField } from '../../ui/form/toggle-field.tsx'
import { type ConfigFields, LABELS, withForeign } from './config-form.ts'

type Form = { form: UseFormReturn<ConfigFields> }

const same = (...values: string[]) => values.map((value) => ({ value, label: value }))

const CPU_TYPES = same('x86-64-v2-AES', 'host', 'kvm64', 'qemu64')
const MACHINES = same('q35', 'i440fx')
const BIOSES = [
  { value: 'seabios', label: 'SeaBIOS (seabios)' },
  { value: 'ovmf', label: 'UEFI (ovmf)' },
]
const OS_TYPES = ['l26', 'win11', 'win10', 'other'].map((value) => ({
  value,
  label: osTypeWords(value),
}))

type NumberFieldProps = Form & {
  name: 'sockets' | 'cores' | 'memory' | 'balloon'
  hint: string
  min: number
  max?: number
  step?: number
}

function NumberField({ form, name, hint, ...bounds }: NumberFieldProps) {
  return (
    <TextField
      label={LABELS[name]}
      hint={hint}
      error={form.formState.errors[name]?.message}
      {...form.register(name)}
      {...bounds}
      type="number"
      inputMode="numeric"
      className="tabular"
    />
  )
}

type ChoiceProps = Form & {
  name: 'cpu' | 'machine' | 'bios' | 'ostype'
  options: readonly { value: string; label: string }[]
}

/** A value outside the options is shown unchanged, and kept unless another is chosen. */
function Choice({ form, name, options }: ChoiceProps) {
  const current = form.formState.defaultValues?.[name] ?? ''
  return (
    <Field label={LABELS[name]} error={form.formState.errors[name]?.message}>
      {(control) => (
        <Select {...control} {...form.register(name)} options={withForeign(options, current)} />
      )}
    </Field>
  )
}

function Group({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <fieldset>
      <legend className="mb-3 w-full border-b pb-1.5 font-semibold text-base">{title}</legend>
      <div className="grid gap-5 sm:grid-cols-2">{children}</div>
    </fieldset>
  )
}

export function HardwareFields({ form }: Form) {
  return (
    <div className="space-y-8">
      <Group title="Processors">
        <NumberField form={form} name="sockets" hint="1 to 4" min={1} max={4} />
        <NumberField form={form} name="cores" hint="1 to 32, in each socket" min={1} max={32} />
        <Choice form={form} name="cpu" options={CPU_TYPES} />
        <ToggleField {...form.register('numa')} label={LABELS.numa} />
      </Group>
      <Group title="Memory">
        <NumberField
          form={form}
          name="memory"
          hint="At least 512, in steps of 512"
          min={512}
          step={512}
        />
        <NumberField form={form} name="balloon" hint="0 switches ballooning off" min={0} />
      </Group>
      <Group title="System">
        <Choice form={form} name="bios" options={BIOSES} />
        <Choice form={form} name="machine" options={MACHINES} />
        <TextField
          label={LABELS.bootdisk}
          hint="Such as scsi0"
          error={form.formState.errors.bootdisk?.message}
          {...form.register('bootdisk')}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
        />
      </Group>
    </div>
  )
}

export function OptionFields({ form }: Form) {
  return (
    <div className="space-y-5">
      <Choice form={form} name="ostype" options={OS_TYPES} />
      <ToggleField
        {...form.register('onboot')}
        label={LABELS.onboot}
        hint="Starts along with its node."
      />
      <ToggleField
        {...form.register('protection')}
        label={LABELS.protection}
        hint="Refuses to be deleted in the cluster."
      />
      <ToggleField
        {...form.register('agent')}
        label={LABELS.agent}
        hint="Lets the cluster ask the guest, where its agent is installed."
      />
    </div>
  )
}

import { Plus, Trash2 } from 'lucide-react'
import { type UseFormReturn, useFieldArray } from 'react-hook-form'
import { Button } from '../../ui/form/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Input } from '../../ui/form/input.tsx'
import { ToggleField } from '../../ui/form/toggle-field.tsx'
import { EMPTY_NETWORK, type NetworkFields, type SettingsFields } from './settings-form.ts'

type TextField = Exclude<keyof NetworkFields, 'isConfirmed'>

const FIELDS: readonly [name: TextField, label: string, example: string][] = [
  ['cidr', 'Network', '203.0.113.0/24'],
  ['gateway', 'Gateway', '203.0.113.1'],
  ['bridge', 'Bridge', 'vmbr0'],
  ['vlan', 'VLAN (optional)', '20'],
  ['nameservers', 'DNS servers', '9.9.9.9, 149.112.112.112'],
  ['searchDomain', 'Search domain', 'example.net'],
  ['first', 'First address for clients', '203.0.113.10'],
  ['last', 'Last address for clients', '203.0.113.250'],
]

const MOST = 50

/** The networks that tokens' addresses belong to, one below the other. */
export function NetworksEditor({ form }: { form: UseFormReturn<SettingsFields> }) {
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'networks' })
  return (
    <section aria-labelledby="networks-title" className="space-y-4">
      <div>
        <h3 id="networks-title">Networks</h3>
        <p className="text-ink-soft">
          Clients get addresses only from ranges that you have confirmed.
        </p>
      </div>
      {fields.length === 0 && (
        <p className="rounded-md border border-dashed px-4 py-3 text-ink-soft">
          No network yet. Nothing can be sold here without one.
        </p>
      )}
      {fields.map((field, index) => (
        <fieldset key={field.id} className="rounded-md border p-4">
          <legend className="sr-only">Network {index + 1}</legend>
          <div className="grid gap-4 sm:grid-cols-2">
            {FIELDS.map(([name, label, example]) => (
              <Field
                key={name}
                label={label}
                error={form.formState.errors.networks?.[index]?.[name]?.message}
              >
                {(control) => (
                  <Input
                    {...control}
                    {...form.register(`networks.${index}.${name}`)}
                    placeholder={example}
                    autoComplete="off"
                    autoCapitalize="off"
                    spellCheck={false}
                    className="font-mono"
                  />
                )}
              </Field>
            ))}
          </div>
          <ToggleField
            {...form.register(`networks.${index}.isConfirmed`)}
            className="mt-4"
            label="This range is free for clients"
            hint={
              form.watch(`networks.${index}.isConfirmed`)
                ? 'Nodes, gateways and VMs that Hushbox sees are left out. Keep DHCP and other machines outside.'
                : 'Proposed only: no address of this network is assigned until you confirm it.'
            }
          />
          <Button
            size="sm"
            className="mt-4"
            aria-label={`Remove network ${index + 1}`}
            onClick={() => remove(index)}
          >
            <Trash2 aria-hidden="true" className="size-3.5" />
            Remove
          </Button>
        </fieldset>
      ))}
      <Button size="sm" disabled={fields.length >= MOST} onClick={() => append(EMPTY_NETWORK)}>
        <Plus aria-hidden="true" className="size-3.5" />
        Add network
      </Button>
    </section>
  )
}

import { Plus, Trash2 } from 'lucide-react'
import { type UseFormReturn, useFieldArray } from 'react-hook-form'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Input } from '../../ui/input.tsx'
import { EMPTY_NETWORK, type NetworkFields, type SettingsFields } from './settings-form.ts'

const FIELDS: readonly [name: keyof NetworkFields, label: string, example: string][] = [
  ['cidr', 'Network', '203.0.113.0/24'],
  ['gateway', 'Gateway', '203.0.113.1'],
  ['bridge', 'Bridge', 'vmbr0'],
  ['vlan', 'VLAN (optional)', '20'],
  ['nameservers', 'DNS servers', '9.9.9.9, 149.112.112.112'],
  ['searchDomain', 'Search domain', 'example.net'],
]

const MOST = 50

/** The networks the addresses of tokens lie in, one below the other. */
export function NetworksEditor({ form }: { form: UseFormReturn<SettingsFields> }) {
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'networks' })
  return (
    <section aria-labelledby="networks-title" className="space-y-4">
      <div>
        <h3 id="networks-title">Networks</h3>
        <p className="text-ink-soft">The address of a token must lie in one of them.</p>
      </div>
      {fields.length === 0 && (
        <p className="rounded-md border border-dashed px-4 py-3 text-ink-soft">
          No network yet. Without one, tokens with an address of their own cannot be delivered here.
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

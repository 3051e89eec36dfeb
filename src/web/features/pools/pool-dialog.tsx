import { useQuery } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import type { Pool } from '#shared/api/servers/pools.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { zodResolver } from '../../lib/forms/zod-resolver.ts'
import { Field } from '../../ui/form/field.tsx'
import { Input } from '../../ui/form/input.tsx'
import { Select } from '../../ui/form/select.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { Textarea } from '../../ui/form/textarea.tsx'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'
import { bodyOf, checkPool, EMPTY_POOL, fieldsOf, type PoolFields } from './pool-form.ts'

type LineField = Exclude<keyof PoolFields, 'clusterId' | 'name' | 'ranges' | 'reserved'>

const LINES: readonly [name: LineField, label: string, example: string][] = [
  ['cidr', 'Network', '203.0.113.0/24'],
  ['gateway', 'Gateway', '203.0.113.1'],
  ['bridge', 'Bridge', 'vmbr0'],
  ['vlan', 'VLAN (optional)', '20'],
  ['nameservers', 'DNS servers', '9.9.9.9, 149.112.112.112'],
  ['searchDomain', 'Search domain (optional)', 'example.net'],
  ['rdns', 'Reverse zone (optional)', '113.0.203.in-addr.arpa'],
  ['rdnsPattern', 'Names by pattern (optional)', '{ip}.vps.example.net'],
  ['prefixPerServer', 'IPv6 prefix per server (optional)', '64'],
]

const TYPED = { autoComplete: 'off', autoCapitalize: 'off', spellCheck: false } as const

/** Adds a pool, or changes the given one. */
export function PoolDialog({ pool, onClose }: { pool?: Pool; onClose: () => void }) {
  const clusters = useQuery(query(api.clusters.list))
  const form = useForm<PoolFields>({
    defaultValues: pool ? fieldsOf(pool) : EMPTY_POOL,
    resolver: zodResolver(checkPool),
  })
  const refresh = [api.pools.list, api.pools.addresses]
  const create = useAction(api.pools.create, {
    done: 'Pool created successfully',
    failed: 'Error',
    refresh,
  })
  const update = useAction(api.pools.update, {
    done: 'Pool updated successfully',
    failed: 'Update Failed',
    refresh,
  })
  const { register, formState } = form
  const { errors } = formState

  async function save(fields: PoolFields) {
    const body = bodyOf(fields)
    const { ok } = pool
      ? await update.run({ params: { id: pool.id }, body })
      : await create.run({ body })
    if (ok) onClose()
  }

  const options = [
    { value: '', label: 'Select a cluster', disabled: true },
    ...(clusters.data ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
  ]
  return (
    <FormDialog
      onClose={onClose}
      title={pool ? `Edit ${pool.name}` : 'Add Pool'}
      verb={pool ? 'Save' : 'Add Pool'}
      isPending={create.isPending || update.isPending}
      className="grid gap-4 sm:grid-cols-2"
      onSubmit={form.handleSubmit(save)}
    >
      <Field label="Name" error={errors.name?.message}>
        {(control) => <Input {...control} {...register('name')} autoComplete="off" />}
      </Field>
      <Field label="Cluster" error={errors.clusterId?.message}>
        {(control) =>
          pool ? (
            <Input {...control} value={pool.clusterName} disabled />
          ) : (
            <Select
              // The list may come after the form.
              key={options.length}
              {...control}
              {...register('clusterId')}
              options={options}
            />
          )
        }
      </Field>
      {LINES.map(([name, label, example]) => (
        <TextField
          key={name}
          label={label}
          error={errors[name]?.message}
          {...register(name)}
          {...TYPED}
          placeholder={example}
          className="font-mono"
        />
      ))}
      <Field
        label="Ranges for clients"
        hint="One per line. Nodes, gateways and VMs that Hushbox sees are left out. Keep DHCP and other machines outside."
        error={errors.ranges?.message}
        className="sm:col-span-2"
      >
        {(control) => (
          <Textarea
            {...control}
            {...register('ranges')}
            {...TYPED}
            rows={2}
            placeholder="203.0.113.10 - 203.0.113.250"
            className="font-mono"
          />
        )}
      </Field>
      <Field
        label="Reserved (optional)"
        hint="One address per line, then the reason."
        error={errors.reserved?.message}
        className="sm:col-span-2"
      >
        {(control) => (
          <Textarea
            {...control}
            {...register('reserved')}
            {...TYPED}
            rows={2}
            placeholder="203.0.113.53 our name server"
            className="font-mono"
          />
        )}
      </Field>
    </FormDialog>
  )
}

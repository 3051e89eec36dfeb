import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { sentenceOf } from '../../api/api-error.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { Field } from '../../ui/field.tsx'
import { Input } from '../../ui/input.tsx'
import { PasswordInput } from '../../ui/password-input.tsx'
import { Select } from '../../ui/select.tsx'
import { usePlaces } from '../../widgets/use-places.ts'
import { freeVms, type ProvisionFields } from './provision-form.ts'

type Form = { form: UseFormReturn<ProvisionFields> }

export function ProvisionFieldset({ form }: Form) {
  const { errors } = form.formState
  return (
    <div className="space-y-5">
      <NodeField form={form} />
      {/* Another node has other VMs: what was chosen or typed is gone. */}
      <VmField key={form.watch('nodeId')} form={form} />
      <Field
        label="Username (optional)"
        hint="What the client signs in to the server with."
        error={errors.username?.message}
      >
        {(control) => <Input {...control} {...form.register('username')} autoComplete="off" />}
      </Field>
      <Field
        label="Password (optional)"
        hint="The one the guest has. Left empty, a new one is set by its guest agent."
        error={errors.password?.message}
      >
        {(control) => (
          <PasswordInput {...control} {...form.register('password')} autoComplete="new-password" />
        )}
      </Field>
    </div>
  )
}

function NodeField({ form }: Form) {
  const nodes = useQuery({ ...query(api.nodes.list), staleTime: 0 })
  const places = usePlaces()
  const options = [
    { value: '', label: nodes.isPending ? 'Loading…' : 'Choose a node' },
    ...(nodes.data ?? []).map((node) => ({
      value: String(node.id),
      label: node.status === 'online' ? places.node(node) : `${places.node(node)} (${node.status})`,
      disabled: node.status !== 'online',
    })),
  ]
  return (
    <Field
      label="Node"
      error={
        nodes.isError
          ? `The nodes could not be loaded. ${sentenceOf(nodes.error)}`
          : form.formState.errors.nodeId?.message
      }
    >
      {(control) => (
        <Select
          {...control}
          {...form.register('nodeId', { onChange: () => form.setValue('vmId', '') })}
          options={options}
        />
      )}
    </Field>
  )
}

const TYPED = 'typed'

function VmField({ form }: Form) {
  const nodeId = Number(form.watch('nodeId'))
  const [isTyped, setTyped] = useState(false)
  const instances = useQuery({
    ...query(api.instances.list, { query: { nodeId } }),
    staleTime: 0,
    enabled: nodeId > 0,
  })
  const vms = freeVms(instances.data)
  const error = instances.isError
    ? `Its VMs could not be loaded; type the number. ${sentenceOf(instances.error)}`
    : form.formState.errors.vmId?.message
  if (isTyped || instances.isError) {
    return (
      <Field label="VM ID" hint="The number the cluster knows it by, from 100 on." error={error}>
        {(control) => (
          <Input
            {...control}
            {...form.register('vmId')}
            inputMode="numeric"
            autoComplete="off"
            className="font-mono"
            autoFocus={isTyped}
          />
        )}
      </Field>
    )
  }
  const options = [
    { value: '', label: firstLine(nodeId, instances.isPending, vms.length) },
    ...vms.map(({ vmId, name, status }) => ({
      value: String(vmId),
      label: `${vmId}, ${name} (${status})`,
    })),
    { value: TYPED, label: 'Another one: type its number' },
  ]
  return (
    <Field label="VM ID" hint="Only VMs that belong to nobody are listed." error={error}>
      {(control) => (
        <Select
          {...control}
          value={form.watch('vmId')}
          disabled={!(nodeId > 0)}
          onChange={({ target }) =>
            target.value === TYPED ? setTyped(true) : form.setValue('vmId', target.value)
          }
          options={options}
        />
      )}
    </Field>
  )
}

function firstLine(nodeId: number, isLoading: boolean, found: number): string {
  if (!(nodeId > 0)) return 'Choose a node first'
  if (isLoading) return 'Loading…'
  return found === 0 ? 'No VM of this node is free' : 'Choose a VM'
}

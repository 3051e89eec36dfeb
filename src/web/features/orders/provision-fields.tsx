import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { sentenceOf } from '../../api/api-error.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Checkbox } from '../../ui/form/checkbox.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Input } from '../../ui/form/input.tsx'
import { PasswordInput } from '../../ui/form/password-input.tsx'
import { Select } from '../../ui/form/select.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { ToggleField } from '../../ui/form/toggle-field.tsx'
import { usePlaces } from '../../widgets/cluster/use-places.ts'
import { offeredVms, type ProvisionFields, vmLabel } from './provision-form.ts'

type Form = { form: UseFormReturn<ProvisionFields> }

type FieldsetProps = Form & {
  orderId: number
  /** The chosen VM is smaller than the size sold, and the operator has not accepted that yet. */
  onShortfall: (isShort: boolean) => void
}

export function ProvisionFieldset({ form, orderId, onShortfall }: FieldsetProps) {
  const { errors } = form.formState
  return (
    <div className="space-y-5">
      <NodeField form={form} />
      {/* Another node has other VMs: the chosen or typed one is cleared. */}
      <VmField key={form.watch('nodeId')} form={form} orderId={orderId} onShortfall={onShortfall} />
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

type VmFieldProps = Form & { orderId: number; onShortfall: (isShort: boolean) => void }

function VmField({ form, orderId, onShortfall }: VmFieldProps) {
  const nodeId = Number(form.watch('nodeId'))
  const acceptId = useId()
  const [withForeign, setForeign] = useState(false)
  const [isTyped, setTyped] = useState(false)
  const candidates = useQuery({
    ...query(api.orders.candidates, { params: { id: orderId }, query: { nodeId } }),
    staleTime: 0,
    enabled: nodeId > 0,
  })
  const vms = offeredVms(candidates.data, withForeign)
  const vmId = form.watch('vmId')
  const chosen = candidates.data?.find((vm) => String(vm.vmId) === vmId.trim())
  const shortfall = chosen?.shortfall
  const isAccepted = form.watch('acceptedVmId') === vmId
  const isShort = Boolean(shortfall) && !isAccepted
  useEffect(() => onShortfall(isShort), [onShortfall, isShort])
  const error = candidates.isError
    ? `The VMs could not be loaded; enter the ID. ${sentenceOf(candidates.error)}`
    : form.formState.errors.vmId?.message
  const options = [
    { value: '', label: firstLine(nodeId, candidates.isPending, vms.length) },
    ...vms.map((vm) => ({ value: String(vm.vmId), label: vmLabel(vm) })),
    ...(withForeign ? [{ value: TYPED, label: 'Another VM: enter its ID' }] : []),
  ]
  return (
    <>
      {isTyped || candidates.isError ? (
        <TextField
          label="VM ID"
          hint="Its number in the cluster, 100 or higher."
          error={error}
          {...form.register('vmId')}
          inputMode="numeric"
          autoComplete="off"
          className="font-mono"
          autoFocus={isTyped}
        />
      ) : (
        <Field
          label="VM ID"
          hint={
            withForeign
              ? 'Includes VMs that Hushbox did not create. Make sure nobody uses the one you choose.'
              : 'VMs that Hushbox created and no client has.'
          }
          error={error}
        >
          {(control) => (
            <Select
              {...control}
              value={vmId}
              disabled={!(nodeId > 0)}
              onChange={({ target }) =>
                target.value === TYPED ? setTyped(true) : form.setValue('vmId', target.value)
              }
              options={options}
            />
          )}
        </Field>
      )}
      {!isTyped && (
        <ToggleField
          label="Also offer VMs that Hushbox did not create"
          hint="Your own machines are among them."
          checked={withForeign}
          onChange={({ target }) => {
            setForeign(target.checked)
            if (!target.checked && chosen?.isOurs === false) form.setValue('vmId', '')
          }}
        />
      )}
      {shortfall && (
        <Note tone="warn">
          <p>This VM is smaller than what was sold: {shortfall}.</p>
          <span className="mt-2 flex items-center gap-2">
            <Checkbox
              id={acceptId}
              checked={isAccepted}
              onChange={({ target }) => form.setValue('acceptedVmId', target.checked ? vmId : '')}
            />
            <label htmlFor={acceptId}>Give it anyway</label>
          </span>
        </Note>
      )}
    </>
  )
}

function firstLine(nodeId: number, isLoading: boolean, found: number): string {
  if (!(nodeId > 0)) return 'Choose a node first'
  if (isLoading) return 'Loading…'
  return found === 0 ? 'No VM of this node is free' : 'Choose a VM'
}

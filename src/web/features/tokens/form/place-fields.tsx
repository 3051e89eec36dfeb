import { Field } from '../../../ui/form/field.tsx'
import { Input } from '../../../ui/form/input.tsx'
import { Select } from '../../../ui/form/select.tsx'
import { usePlaces } from '../../../widgets/cluster/use-places.ts'
import { instanceChoices, nodeChoices, templateChoices } from './token-choices.ts'
import { clear, failure, type PartProps } from './token-fields.tsx'
import { CLEARED_BY_NODE, type TokenFields } from './token-form.ts'

type PlaceProps = PartProps & { fields: Pick<TokenFields, 'nodeId' | 'templateId' | 'tokenType'> }

export function NodeField({ form, choices, fields }: PlaceProps) {
  const { register, formState } = form
  const places = usePlaces()
  return (
    <Field
      label="Node"
      hint="Only nodes that are online."
      error={formState.errors.nodeId?.message ?? failure(choices.nodes)}
    >
      {(control) => (
        <Select
          {...control}
          {...register('nodeId', { onChange: () => clear(form, CLEARED_BY_NODE) })}
          options={nodeChoices(choices.nodes.data, places, fields.nodeId)}
        />
      )}
    </Field>
  )
}

/** The source of the server: a template with an address, or an instance. */
export function SourceFields(props: PlaceProps) {
  return props.fields.tokenType === 'ready' ? (
    <InstanceField {...props} />
  ) : (
    <>
      <TemplateField {...props} />
      <AddressFields {...props} />
    </>
  )
}

function TemplateField({ form, choices, fields }: PlaceProps) {
  const { register, formState } = form
  const isEmpty = choices.templates.data?.length === 0
  return (
    <Field
      label="Template"
      {...(isEmpty && { hint: 'This node has no templates.' })}
      {...(!fields.nodeId && { hint: 'Choose a node first.' })}
      error={formState.errors.templateId?.message ?? failure(choices.templates)}
      className="sm:col-span-2"
    >
      {(control) => (
        <Select
          {...control}
          {...register('templateId')}
          options={templateChoices(choices.templates.data, fields.templateId)}
        />
      )}
    </Field>
  )
}

function AddressFields({ form, choices: { nextAddress } }: PlaceProps) {
  const { register, formState, setValue } = form
  const suggestion = nextAddress && (
    <>
      Next free:{' '}
      <button
        type="button"
        className="text-link font-mono"
        onClick={() => setValue('ipAddress', nextAddress, { shouldDirty: true })}
      >
        {nextAddress}
      </button>
    </>
  )
  return (
    <>
      <Field label="IP address" hint={suggestion} error={formState.errors.ipAddress?.message}>
        {(control) => <Input {...control} {...register('ipAddress')} className="font-mono" />}
      </Field>
      <Field
        label="MAC address (optional)"
        hint="Blank: auto-assigned."
        error={formState.errors.macAddress?.message}
      >
        {(control) => <Input {...control} {...register('macAddress')} className="font-mono" />}
      </Field>
    </>
  )
}

function InstanceField({ form, choices, fields }: PlaceProps) {
  const { register, formState } = form
  const options = instanceChoices(choices.instances.data)
  const isEmpty = choices.instances.data !== undefined && options.length === 1
  return (
    <Field
      label="Instance"
      {...(isEmpty && { hint: 'No running instance without a token on this node.' })}
      {...(!fields.nodeId && { hint: 'Choose a node first.' })}
      error={formState.errors.instanceId?.message ?? failure(choices.instances)}
      className="sm:col-span-2"
    >
      {(control) => <Select {...control} {...register('instanceId')} options={options} />}
    </Field>
  )
}

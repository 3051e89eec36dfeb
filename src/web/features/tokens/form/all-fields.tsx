import { useEffect } from 'react'
import { type UseFormReturn, useWatch } from 'react-hook-form'
import { NodeField, SourceFields } from './place-fields.tsx'
import {
  CredentialFields,
  NameField,
  PriceFields,
  ReachFields,
  SystemField,
  TypeField,
} from './token-fields.tsx'
import type { TokenFields } from './token-form.ts'
import { useTokenChoices } from './use-token-choices.ts'

type AllFieldsProps = {
  form: UseFormReturn<TokenFields>
  /** Fills in the next free address of the node, until the operator types another one. */
  proposesAddress?: boolean
}

/** Every field of a token: for a new one and for a copy. */
export function AllFields({ form, proposesAddress = false }: AllFieldsProps) {
  const [tokenType, nodeId, templateId] = useWatch({
    control: form.control,
    name: ['tokenType', 'nodeId', 'templateId'],
  })
  const choices = useTokenChoices({ nodeId, type: tokenType })
  useProposal(form, proposesAddress && tokenType === 'ip_mac' ? choices.nextAddress : null)
  const place = { form, choices, fields: { tokenType, nodeId, templateId } }
  return (
    <>
      <NameField form={form} />
      <TypeField form={form} />
      <NodeField {...place} />
      <SystemField form={form} choices={choices} />
      <SourceFields {...place} />
      <CredentialFields form={form} passwordHint="Every buyer gets a new one." />
      <PriceFields form={form} />
      <ReachFields form={form} />
    </>
  )
}

function useProposal(form: UseFormReturn<TokenFields>, address: string | null) {
  useEffect(() => {
    if (address === null || form.getFieldState('ipAddress').isDirty) return
    // Set as the default value, so that the form does not count as changed.
    form.resetField('ipAddress', { defaultValue: address })
  }, [form, address])
}

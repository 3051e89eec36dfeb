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

/** Every field a token has: for a new one and for a copy. */
export function AllFields({ form }: { form: UseFormReturn<TokenFields> }) {
  const [tokenType, nodeId, templateId] = useWatch({
    control: form.control,
    name: ['tokenType', 'nodeId', 'templateId'],
  })
  const choices = useTokenChoices({ nodeId, type: tokenType })
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

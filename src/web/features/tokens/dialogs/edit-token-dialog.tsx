import { type UseFormReturn, useForm, useWatch } from 'react-hook-form'
import type { Token } from '#shared/api/shop/tokens.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { zodResolver } from '../../../lib/forms/zod-resolver.ts'
import { FormDialog } from '../../../ui/overlay/form-dialog.tsx'
import { TOKENS_CHANGED } from '../../../widgets/token/tokens-changed.ts'
import { NodeField, SourceFields } from '../form/place-fields.tsx'
import { CredentialFields, NameField, SystemField } from '../form/token-fields.tsx'
import { checkUpdate, fieldsOf, type TokenFields, updateBody } from '../form/token-form.ts'
import { useTokenChoices } from '../form/use-token-choices.ts'
import { failedTo } from './token-notices.ts'

type EditTokenDialogProps = { token: Token; onClose: () => void }

/** Follows the token's type: a Ready token has no template, and its instance stays (T9). */
export function EditTokenDialog({ token, onClose }: EditTokenDialogProps) {
  const form = useForm<TokenFields>({
    defaultValues: fieldsOf(token),
    resolver: zodResolver(checkUpdate),
  })
  const update = useAction(api.tokens.update, {
    done: 'Token updated successfully',
    failed: failedTo('Failed to update token'),
    refresh: TOKENS_CHANGED,
  })
  const submit = form.handleSubmit(async (fields) => {
    const { ok } = await update.run({ params: { id: token.id }, body: updateBody(fields) })
    if (ok) onClose()
  })
  return (
    <FormDialog
      className="grid gap-5 sm:grid-cols-2"
      title="Edit Token"
      description={token.name}
      verb="Save"
      isPending={update.isPending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <EditFields form={form} />
    </FormDialog>
  )
}

function EditFields({ form }: { form: UseFormReturn<TokenFields> }) {
  const [tokenType, nodeId, templateId] = useWatch({
    control: form.control,
    name: ['tokenType', 'nodeId', 'templateId'],
  })
  const choices = useTokenChoices({ nodeId, type: tokenType })
  const place = { form, choices, fields: { tokenType, nodeId, templateId } }
  const isFromTemplate = tokenType === 'ip_mac'
  return (
    <>
      <NameField form={form} />
      {isFromTemplate && <NodeField {...place} />}
      <SystemField
        form={form}
        choices={choices}
        {...(!isFromTemplate && { className: 'sm:col-span-2' })}
      />
      {isFromTemplate && <SourceFields {...place} />}
      <CredentialFields form={form} passwordHint="Leave it empty to keep the current one." />
      {!isFromTemplate && (
        <p className="text-ink-soft sm:col-span-2">
          A Ready token keeps its instance. For another one, create another token.
        </p>
      )}
    </>
  )
}

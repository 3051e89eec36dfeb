import { useForm, useWatch } from 'react-hook-form'
import type { Token } from '#shared/api/tokens.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { randomPassword } from '../../lib/random-password.ts'
import { zodResolver } from '../../lib/zod-resolver.ts'
import { NodeField, SourceFields } from './place-fields.tsx'
import { REFRESHED } from './refreshed.ts'
import { TokenDialog } from './token-dialog.tsx'
import {
  CredentialFields,
  NameField,
  PriceFields,
  ReachFields,
  SystemField,
  TypeField,
} from './token-fields.tsx'
import {
  checkCreate,
  checkDuplicate,
  copyOf,
  createBody,
  duplicateBody,
  EMPTY_TOKEN,
  type TokenFields,
} from './token-form.ts'
import { createdNotice, duplicateFailure } from './token-notices.ts'
import { useTokenChoices } from './use-token-choices.ts'

export function CreateTokenDialog({ onClose }: { onClose: () => void }) {
  const form = useForm<TokenFields>({
    defaultValues: EMPTY_TOKEN,
    resolver: zodResolver(checkCreate),
  })
  const create = useAction(api.tokens.create, { done: createdNotice, refresh: REFRESHED })
  const submit = form.handleSubmit(async (fields) => {
    const { ok } = await create.run({ body: createBody(fields) })
    if (ok) onClose()
  })
  return (
    <TokenDialog
      title="Create Token"
      description="A server to be sold: where it comes from, how one gets in, what it costs."
      action="Create Token"
      isPending={create.isPending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <AllFields form={form} />
    </TokenDialog>
  )
}

type DuplicateTokenDialogProps = { token: Token; onClose: () => void }

export function DuplicateTokenDialog({ token, onClose }: DuplicateTokenDialogProps) {
  const form = useForm<TokenFields>({
    // A password shared by two servers would be known to two clients.
    defaultValues: copyOf(token, randomPassword()),
    resolver: zodResolver(checkDuplicate),
  })
  const duplicate = useAction(api.tokens.create, {
    done: 'Token duplicated successfully',
    failed: duplicateFailure,
    refresh: REFRESHED,
  })
  const submit = form.handleSubmit(async (fields) => {
    const { ok } = await duplicate.run({ body: duplicateBody(fields) })
    if (ok) onClose()
  })
  return (
    <TokenDialog
      title="Duplicate Token"
      description={`Like ${token.name}, with an address and a password of its own.`}
      action="Duplicate Token"
      isPending={duplicate.isPending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <AllFields form={form} />
    </TokenDialog>
  )
}

function AllFields({ form }: { form: ReturnType<typeof useForm<TokenFields>> }) {
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
      <CredentialFields form={form} />
      <PriceFields form={form} />
      <ReachFields form={form} />
    </>
  )
}

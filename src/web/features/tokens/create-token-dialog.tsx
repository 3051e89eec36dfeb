import { useForm } from 'react-hook-form'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { zodResolver } from '../../lib/zod-resolver.ts'
import { TOKENS_CHANGED } from '../../widgets/tokens-changed.ts'
import { AllFields } from './all-fields.tsx'
import { TokenDialog } from './token-dialog.tsx'
import { checkCreate, createBody, EMPTY_TOKEN, type TokenFields } from './token-form.ts'
import { createdNotice } from './token-notices.ts'

export function CreateTokenDialog({ onClose }: { onClose: () => void }) {
  const form = useForm<TokenFields>({
    defaultValues: EMPTY_TOKEN,
    resolver: zodResolver(checkCreate),
  })
  const create = useAction(api.tokens.create, { done: createdNotice, refresh: TOKENS_CHANGED })
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

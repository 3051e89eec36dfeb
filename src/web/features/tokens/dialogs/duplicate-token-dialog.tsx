import { useForm } from 'react-hook-form'
import type { Token } from '#shared/api/shop/tokens.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { randomPassword } from '../../../lib/forms/random-password.ts'
import { zodResolver } from '../../../lib/forms/zod-resolver.ts'
import { FormDialog } from '../../../ui/overlay/form-dialog.tsx'
import { TOKENS_CHANGED } from '../../../widgets/token/tokens-changed.ts'
import { AllFields } from '../form/all-fields.tsx'
import { checkDuplicate, copyOf, duplicateBody, type TokenFields } from '../form/token-form.ts'
import { duplicateFailure } from './token-notices.ts'

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
    refresh: TOKENS_CHANGED,
  })
  const submit = form.handleSubmit(async (fields) => {
    const { ok } = await duplicate.run({ body: duplicateBody(fields) })
    if (ok) onClose()
  })
  return (
    <FormDialog
      className="grid gap-5 sm:grid-cols-2"
      title="Duplicate Token"
      description={`Like ${token.name}, with an address and a password of its own.`}
      verb="Duplicate Token"
      isPending={duplicate.isPending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <AllFields form={form} proposesAddress />
    </FormDialog>
  )
}

import { Dices } from 'lucide-react'
import type { UseFormReturn } from 'react-hook-form'
import { randomPassword } from '../../../lib/forms/random-password.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { PasswordInput } from '../../../ui/form/password-input.tsx'
import type { TokenFields } from './token-form.ts'

type GeneratedPasswordProps = { form: UseFormReturn<TokenFields>; hint?: string | undefined }

/** The password of the server's first user: typed, or generated here. */
export function GeneratedPassword({ form, hint }: GeneratedPasswordProps) {
  const { register, formState, setValue } = form
  const generate = () =>
    setValue('password', randomPassword(), { shouldDirty: true, shouldValidate: true })
  return (
    <Field label="Password" {...(hint && { hint })} error={formState.errors.password?.message}>
      {(control) => (
        <span className="flex gap-2">
          <span className="min-w-0 flex-1">
            <PasswordInput {...control} {...register('password')} autoComplete="new-password" />
          </span>
          <Button
            size="icon"
            className="size-10"
            aria-label="Generate a password"
            title="Generate a password"
            onClick={generate}
          >
            <Dices aria-hidden="true" className="size-4" />
          </Button>
        </span>
      )}
    </Field>
  )
}

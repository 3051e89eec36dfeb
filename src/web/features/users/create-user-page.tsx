import { ArrowLeft } from 'lucide-react'
import { useForm } from 'react-hook-form'
import { Link, useLocation } from 'wouter'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { zodResolver } from '../../lib/forms/zod-resolver.ts'
import { paths } from '../../lib/paths/paths.ts'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { PasswordInput } from '../../ui/form/password-input.tsx'
import { Card, CardBody, CardHeader } from '../../ui/layout/card.tsx'
import { UserFieldset } from './user-fields.tsx'
import { checkNewUser, EMPTY_USER, type NewUserFields, type UserFields } from './user-form.ts'

export function CreateUserPage() {
  return (
    <div className="max-w-2xl space-y-4">
      <Link href={paths.users} className="text-link inline-flex items-center gap-1.5">
        <ArrowLeft aria-hidden="true" className="size-4" />
        Back to System Users
      </Link>
      <Card>
        <CardHeader
          title="Create New User"
          description="A member of the staff, or a client by name."
        />
        <CreateForm />
      </Card>
    </div>
  )
}

function CreateForm() {
  const [, navigate] = useLocation()
  const { register, handleSubmit, formState, watch } = useForm<NewUserFields>({
    defaultValues: EMPTY_USER,
    resolver: zodResolver(checkNewUser),
  })
  const create = useAction(api.users.create, {
    done: 'User created successfully',
    failed: {
      title: 'User creation failed',
      description: 'Please check the information and try again.',
    },
    refresh: [api.users.list, api.users.clients],
  })
  const { errors } = formState

  async function submit({ confirmPassword: _, ...fields }: NewUserFields) {
    const { ok } = await create.run({ body: { ...fields, agreedToTerms: true } })
    if (ok) navigate(paths.users)
  }

  return (
    <form onSubmit={(event) => void handleSubmit(submit)(event)} noValidate>
      <CardBody className="space-y-5">
        <UserFieldset
          register={register as ReturnType<typeof useForm<UserFields>>['register']}
          errors={errors}
          role={watch('role')}
        />
        <div className="grid gap-5 sm:grid-cols-2">
          <Field label="Password" error={errors.password?.message}>
            {(control) => (
              <PasswordInput {...control} {...register('password')} autoComplete="new-password" />
            )}
          </Field>
          <Field label="Confirm password" error={errors.confirmPassword?.message}>
            {(control) => (
              <PasswordInput
                {...control}
                {...register('confirmPassword')}
                autoComplete="new-password"
              />
            )}
          </Field>
        </div>
      </CardBody>
      <div className="flex justify-end gap-2 border-t px-5 py-4">
        <Link href={paths.users} className={buttonClass()}>
          Cancel
        </Link>
        <Button type="submit" variant="primary" isPending={create.isPending}>
          Create User
        </Button>
      </div>
    </form>
  )
}

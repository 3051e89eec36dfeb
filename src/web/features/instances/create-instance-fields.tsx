import { useQuery } from '@tanstack/react-query'
import type { UseFormReturn } from 'react-hook-form'
import { userName } from '#shared/rules/people/user-name.ts'
import { sentenceOf } from '../../api/api-error.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { Field } from '../../ui/form/field.tsx'
import { Input } from '../../ui/form/input.tsx'
import { Segments } from '../../ui/form/segments.tsx'
import { Select } from '../../ui/form/select.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { type CreateFields, usableTokens } from './create-form.ts'

const CLIENT_MODES = [
  { value: 'existing', label: 'Existing client' },
  { value: 'new', label: 'New client' },
]

type Form = { form: UseFormReturn<CreateFields> }

export function CreateInstanceFields({ form }: Form) {
  const mode = form.watch('client')
  return (
    <div className="space-y-5">
      <TokenField form={form} />
      <Field label="Instance name" error={form.formState.errors.name?.message}>
        {(control) => <Input {...control} {...form.register('name')} autoComplete="off" />}
      </Field>
      <Segments
        label="Client"
        options={CLIENT_MODES}
        value={mode}
        onChange={(next) => form.setValue('client', next === 'new' ? 'new' : 'existing')}
      />
      {mode === 'new' ? (
        <TextField
          label="E-mail of the new client"
          hint="A password is generated and shown once."
          error={form.formState.errors.email?.message}
          {...form.register('email')}
          type="email"
          autoComplete="off"
        />
      ) : (
        <ClientField form={form} />
      )}
    </div>
  )
}

function TokenField({ form }: Form) {
  const tokens = useQuery({ ...query(api.tokens.list), staleTime: 0 })
  const usable = usableTokens(tokens.data ?? [])
  const options = [
    { value: '', label: tokens.isPending ? 'Loading…' : 'Select a token' },
    ...usable.map(({ id, name, tokenId, osType }) => ({
      value: String(id),
      label: `${name} · ${osType} · ${tokenId}`,
    })),
  ]
  const hint = tokens.data && usable.length === 0 && 'No token is free. Create one first.'
  return (
    <Field
      label="Token"
      hint={hint}
      error={
        tokens.isError
          ? `The tokens could not be loaded. ${sentenceOf(tokens.error)}`
          : form.formState.errors.tokenId?.message
      }
    >
      {(control) => <Select {...control} {...form.register('tokenId')} options={options} />}
    </Field>
  )
}

function ClientField({ form }: Form) {
  const clients = useQuery({ ...query(api.users.clients), staleTime: 0 })
  const options = [
    { value: '', label: clients.isPending ? 'Loading…' : 'Select a client' },
    ...(clients.data ?? []).map((client) => ({
      value: String(client.id),
      label: client.isActive ? userName(client) : `${userName(client)} (inactive)`,
    })),
  ]
  return (
    <Field
      label="Client"
      error={
        clients.isError
          ? `The clients could not be loaded. ${sentenceOf(clients.error)}`
          : form.formState.errors.clientUserId?.message
      }
    >
      {(control) => (
        <Select
          // A client created a moment ago is selected as soon as the list contains it.
          key={options.length}
          {...control}
          {...form.register('clientUserId')}
          options={options}
        />
      )}
    </Field>
  )
}

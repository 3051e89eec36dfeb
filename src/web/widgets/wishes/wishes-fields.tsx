import { useQuery } from '@tanstack/react-query'
import { Suspense, useId } from 'react'
import { Link } from 'wouter'
import { isWindows } from '#shared/rules/instance/system-of-template.ts'
import { HOSTNAME } from '#shared/rules/network/hostname.ts'
import { sentenceOf } from '../../api/api-error.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { settingsPath } from '../../lib/paths/paths.ts'
import { Checkbox } from '../../ui/form/checkbox.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { isHostnameWish, type useWishes, type WishFields } from './use-wishes.ts'

const UserDataField = lazyPage(() => import('./user-data-field.tsx'), 'SoldUserDataField')

type WishesFieldsProps = {
  form: ReturnType<typeof useWishes>
  /** A server that runs already takes only a label. */
  isReady?: boolean
  osType: string
  /** The token on sale; none for a package. */
  tokenId?: number
  /** The outcome of the last try. */
  error: unknown
}

/** A name and keys for the new server; everything may stay empty. */
export function WishesFields(props: WishesFieldsProps) {
  const { form, isReady = false, osType, tokenId, error } = props
  const { fields, set } = form
  const takesKeys = !isReady && !isWindows(osType)
  return (
    <div className="space-y-4">
      <TextField
        label="Label"
        hint="Only a name for you. Optional."
        value={fields.label}
        maxLength={60}
        autoComplete="off"
        onChange={(event) => set({ label: event.target.value })}
      />
      {!isReady && (
        <TextField
          label="Hostname"
          hint="What the server calls itself. Optional."
          error={isHostnameWish(fields.hostname) ? undefined : HOSTNAME}
          value={fields.hostname}
          maxLength={63}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => set({ hostname: event.target.value })}
        />
      )}
      {takesKeys && (
        <>
          <KeyChoice chosen={fields.sshKeyIds} onChange={(sshKeyIds) => set({ sshKeyIds })} />
          <Suspense>
            <UserDataField
              tokenId={tokenId}
              value={fields.userData}
              onChange={(userData) => set({ userData })}
              error={error}
            />
          </Suspense>
        </>
      )}
    </div>
  )
}

type KeyChoiceProps = {
  chosen: WishFields['sshKeyIds']
  onChange: (chosen: number[]) => void
}

export function KeyChoice({ chosen, onChange }: KeyChoiceProps) {
  const id = useId()
  const keys = useQuery(query(api.sshKeys.list))
  const toggle = (key: number) =>
    onChange(chosen.includes(key) ? chosen.filter((one) => one !== key) : [...chosen, key])
  return (
    <fieldset>
      <legend className="mb-1.5 font-semibold">SSH keys</legend>
      {keys.isError && <p className="text-bad">{sentenceOf(keys.error)}</p>}
      {keys.data?.length === 0 && (
        <p className="text-ink-soft">
          You have none yet.{' '}
          <Link href={settingsPath('ssh-keys')} className="text-link">
            Add one
          </Link>{' '}
          to sign in without a password.
        </p>
      )}
      {keys.data && keys.data.length > 0 && (
        <>
          <ul className="space-y-1">
            {keys.data.map((key) => (
              <li key={key.id}>
                <label htmlFor={`${id}-${key.id}`} className="flex items-center gap-2">
                  <Checkbox
                    id={`${id}-${key.id}`}
                    checked={chosen.includes(key.id)}
                    onChange={() => toggle(key.id)}
                  />
                  <span className="min-w-0 break-words">{key.name}</span>
                </label>
              </li>
            ))}
          </ul>
          <p className="mt-1.5 text-ink-soft">
            {chosen.length > 0
              ? 'The server takes these keys only: it has no password.'
              : 'Without a key the server has a password.'}
          </p>
        </>
      )}
    </fieldset>
  )
}

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { STARTERS } from '#shared/rules/user-data/starters.ts'
import { userDataProblem } from '#shared/rules/user-data/user-data.ts'
import { ApiError, sentenceOf } from '../../api/api-error.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { Button } from '../../ui/form/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Textarea } from '../../ui/form/textarea.tsx'

type UserDataFieldProps = {
  value: string
  onChange: (text: string) => void
  /** Why it is not offered; null where it is, undefined until that is known. */
  refusal: string | null | undefined
  /** The outcome of the last try, which may be about this field. */
  error: unknown
}

const TITLE = 'Start-up script or cloud-config'

/** What the new server runs at its first start; folded until it is opened. */
export function UserDataField({ value, onChange, refusal, error }: UserDataFieldProps) {
  const [judged, setJudged] = useState({ error, text: value })
  if (judged.error !== error) setJudged({ error, text: value })
  const isFresh = value === '' || STARTERS.some(({ text }) => text === value)
  const [isOpen, setOpen] = useState(false)
  const [isTyping, setTyping] = useState(false)
  const served = judged.text === value ? messageIn(error) : undefined
  const problem = value === '' || isTyping ? undefined : (userDataProblem(value) ?? served)
  return (
    <details
      open={isOpen || problem !== undefined}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="cursor-pointer font-semibold">{TITLE}</summary>
      {typeof refusal === 'string' ? (
        <p className="mt-1.5 text-ink-soft">Not offered for this server. {refusal}</p>
      ) : (
        <div className="mt-3 space-y-3">
          {isFresh && (
            <div className="flex flex-wrap items-center gap-2">
              <span className="text-ink-soft">Begin with</span>
              {STARTERS.map(({ name, text }) => (
                <Button key={name} size="sm" onClick={() => onChange(text)}>
                  {name}
                </Button>
              ))}
            </div>
          )}
          <Field
            label="It runs once, as root, at the first start"
            error={problem}
            hint="Begins with #cloud-config or #!/bin/sh, at most 32 KiB. What it says about users and passwords wins over your choices above. We erase it once the server has started."
          >
            {(control) => (
              <Textarea
                {...control}
                value={value}
                rows={8}
                spellCheck={false}
                autoCapitalize="none"
                autoComplete="off"
                className="font-mono text-xs"
                onChange={(event) => {
                  setTyping(true)
                  onChange(event.target.value)
                }}
                onBlur={() => setTyping(false)}
              />
            )}
          </Field>
        </div>
      )}
    </details>
  )
}

/** The same for what is on sale: a token, or without one a package. */
export function SoldUserDataField({
  tokenId,
  ...field
}: Omit<UserDataFieldProps, 'refusal'> & { tokenId?: number | undefined }) {
  const asked = tokenId === undefined ? {} : { tokenId }
  const offer = useQuery(query(api.marketplace.userData, { query: asked }))
  const refusal = offer.isError ? sentenceOf(offer.error) : offer.data?.refusal
  return <UserDataField {...field} refusal={refusal} />
}

function messageIn(error: unknown): string | undefined {
  const details = error instanceof ApiError ? error.body?.details : undefined
  if (!Array.isArray(details)) return undefined
  return details.find(({ path }) => path === 'userData')?.message
}

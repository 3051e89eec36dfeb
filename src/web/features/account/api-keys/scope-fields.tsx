import { useId } from 'react'
import { KEY_SCOPES, type KeyScope, SCOPE_WORDS } from '#shared/rules/people/key-scopes.ts'
import { Checkbox } from '../../../ui/form/checkbox.tsx'

type ScopeFieldsProps = {
  chosen: readonly KeyScope[]
  error: string | undefined
  onChange: (chosen: KeyScope[]) => void
}

/** What the key may do, each on its own. */
export function ScopeFields({ chosen, error, onChange }: ScopeFieldsProps) {
  const id = useId()
  const errorId = `${id}-error`
  return (
    <fieldset aria-describedby={error ? errorId : undefined}>
      <legend className="mb-2 font-semibold">It may</legend>
      <div className="space-y-1">
        {KEY_SCOPES.map((scope) => (
          <label key={scope} htmlFor={`${id}-${scope}`} className="flex items-center gap-3 py-1">
            <Checkbox
              id={`${id}-${scope}`}
              checked={chosen.includes(scope)}
              onChange={({ target }) =>
                onChange(
                  target.checked ? [...chosen, scope] : chosen.filter((one) => one !== scope),
                )
              }
            />
            <span className="min-w-0">
              {SCOPE_WORDS[scope]} <span className="font-mono text-ink-soft text-xs">{scope}</span>
            </span>
          </label>
        ))}
      </div>
      {error && (
        <p id={errorId} className="text-bad">
          {error}
        </p>
      )}
    </fieldset>
  )
}

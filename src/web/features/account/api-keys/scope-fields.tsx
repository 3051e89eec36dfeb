import { KEY_SCOPES, type KeyScope, SCOPE_WORDS } from '#shared/rules/people/key-scopes.ts'
import { CheckboxList } from '../../../ui/form/checkbox-list.tsx'
import { Named } from '../../../widgets/facts/named.tsx'

type ScopeFieldsProps = {
  chosen: readonly KeyScope[]
  error: string | undefined
  onChange: (chosen: KeyScope[]) => void
}

const OPTIONS = KEY_SCOPES.map((scope) => ({
  value: scope,
  words: <Named words={SCOPE_WORDS[scope]} name={scope} />,
}))

/** What the key may do, each on its own. */
export function ScopeFields(props: ScopeFieldsProps) {
  return <CheckboxList legend="It may" options={OPTIONS} {...props} />
}

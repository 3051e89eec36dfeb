import { Fact } from './facts.tsx'
import { SecretField } from './secret-field.tsx'

type SecretFactProps = {
  term: string
  value: string | null | undefined
  /** Whose it is. */
  of: string
  /** An admin looks on: secrets are their owner's alone (A6). */
  isSimulated: boolean
  /** Said where there is none. */
  otherwise?: string
}

export function SecretFact({
  term,
  value,
  of,
  isSimulated,
  otherwise = 'Not known',
}: SecretFactProps) {
  return (
    <Fact term={term}>
      {value && !isSimulated ? (
        <SecretField value={value} name={`${term.toLowerCase()} of ${of}`} />
      ) : (
        <span className="text-ink-soft">{isSimulated ? 'Hidden while simulating' : otherwise}</span>
      )}
    </Fact>
  )
}

import { Fact } from './facts.tsx'
import { SecretField } from './secret-field.tsx'

type SecretFactProps = {
  term: string
  value: string | null | undefined
  /** The owner of the secret. */
  of: string
  /** An admin is simulating: secrets are for their owner only (A6). */
  isSimulated: boolean
  /** Shown where there is none. */
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

import type { AuditEntry } from '#shared/api/audit.ts'
import { actionWords } from '../../lib/action-words.ts'
import type { Column } from '../../ui/table.tsx'
import { RelativeTime } from '../../widgets/relative-time.tsx'

const NONE = <span className="text-ink-soft">None</span>

type Person = AuditEntry['actor']

export const auditColumns = (onPerson: (id: number) => void): readonly Column<AuditEntry>[] => [
  {
    title: 'When',
    cell: ({ at }) => (
      <span className="whitespace-nowrap text-ink-soft">
        <RelativeTime at={at} />
      </span>
    ),
  },
  { title: 'Action', cell: ({ action }) => actionWords(action) },
  {
    title: 'Who',
    cell: ({ actor, admin, action }) => (
      <>
        <PersonLink person={actor} isSignIn={action.startsWith('auth.')} onPerson={onPerson} />
        {admin && (
          <span className="block text-ink-soft text-xs">
            simulated by <PersonLink person={admin} onPerson={onPerson} />
          </span>
        )}
      </>
    ),
  },
  {
    title: 'Target',
    cell: ({ target }) => (target ? <span className="font-mono text-xs">{target}</span> : NONE),
  },
  {
    title: 'Details',
    cell: ({ details }) =>
      Object.keys(details).length === 0 ? (
        NONE
      ) : (
        <span className="break-all font-mono text-xs">{detailWords(details)}</span>
      ),
  },
]

type PersonLinkProps = {
  person: Person
  /** Before a sign-in there is nobody to name. */
  isSignIn?: boolean
  onPerson: (id: number) => void
}

function PersonLink({ person, isSignIn = false, onPerson }: PersonLinkProps) {
  if (!person) {
    return <span className="text-ink-soft">{isSignIn ? 'A visitor' : 'The system'}</span>
  }
  return (
    <button
      type="button"
      className="text-link break-all text-left"
      aria-label={`Show only ${person.name}`}
      onClick={() => onPerson(person.id)}
    >
      {person.name}
    </button>
  )
}

const detailWords = (details: AuditEntry['details']): string =>
  Object.entries(details)
    .map(([name, value]) => `${name}: ${valueWords(value)}`)
    .join(', ')

const valueWords = (value: unknown): string => {
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.map(String).join(' ') : JSON.stringify(value)
}

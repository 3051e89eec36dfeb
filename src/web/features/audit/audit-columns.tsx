import { Link } from 'wouter'
import type { AuditEntry } from '#shared/api/people/audit.ts'
import { actionWords } from '../../lib/format/action-words.ts'
import type { Column } from '../../ui/layout/table.tsx'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'
import { detailParts } from './audit-details.ts'
import { targetPath } from './target-path.ts'

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
    cell: ({ target, subject }) => (
      <>
        {target && target !== 'user' && <Target target={target} onPerson={onPerson} />}
        {subject && !target?.startsWith('user:') && (
          <span className="block">
            <PersonLink person={subject} onPerson={onPerson} />
          </span>
        )}
        {!target && !subject && NONE}
      </>
    ),
  },
  {
    title: 'Details',
    cell: ({ details }) =>
      Object.keys(details).length === 0 ? NONE : <Details details={details} />,
  },
]

function Details({ details }: Pick<AuditEntry, 'details'>) {
  return (
    <span className="break-all font-mono text-xs">
      {detailParts(details).map(({ text, path }, index) => (
        <span key={text}>
          {index > 0 && ', '}
          {path ? (
            <Link href={path} className="text-link">
              {text}
            </Link>
          ) : (
            text
          )}
        </span>
      ))}
    </span>
  )
}

type TargetProps = { target: string; onPerson: (id: number) => void }

function Target({ target, onPerson }: TargetProps) {
  const path = targetPath(target)
  const userId = Number(/^user:(\d+)$/.exec(target)?.[1])
  if (path !== undefined) {
    return (
      <Link href={path} className="text-link font-mono text-xs">
        {target}
      </Link>
    )
  }
  if (userId > 0) {
    return (
      <button
        type="button"
        className="text-link font-mono text-xs"
        aria-label={`Show only ${target}`}
        onClick={() => onPerson(userId)}
      >
        {target}
      </button>
    )
  }
  return <span className="font-mono text-xs">{target}</span>
}

type PersonLinkProps = {
  person: Person
  /** Before a sign-in there is no account to name. */
  isSignIn?: boolean
  onPerson: (id: number) => void
}

function PersonLink({ person, isSignIn = false, onPerson }: PersonLinkProps) {
  if (!person) {
    return <span className="text-ink-soft">{isSignIn ? 'A visitor' : 'The system'}</span>
  }
  const { id } = person
  if (id === null) return <span className="text-ink-soft">{person.name}</span>
  return (
    <button
      type="button"
      className="text-link break-all text-left"
      aria-label={`Show only ${person.name}`}
      onClick={() => onPerson(id)}
    >
      {person.name}
    </button>
  )
}

import { Link } from 'wouter'
import { sentenceOf } from '../../api/api-error.ts'
import { openOrdersOf } from '../../api/refusal-details.ts'
import { orderPath } from '../../lib/paths/paths.ts'
import { Note } from '../../ui/feedback/note.tsx'

/** Unpaid orders that must be paid or cancelled first, with links. */
export function UnpaidNote({ error }: { error: Error | null }) {
  const orders = openOrdersOf(error)
  if (orders.length === 0) return null
  return (
    <Note tone="warn" className="mt-3">
      {sentenceOf(error)}
      <ul className="mt-1">
        {orders.map(({ id, planName }) => (
          <li key={id}>
            <Link href={orderPath(id)} className="text-link break-words">
              Order {id}: {planName}
            </Link>
          </li>
        ))}
      </ul>
    </Note>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { settingsPath } from '../../lib/paths/paths.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { buttonClass } from '../../ui/form/button.tsx'

/** A line for a client whose server depends on one password. */
export function RecoveryOffer() {
  const { data } = useQuery(query(api.recovery.state))
  if (!data || data.kitMadeAt !== null) return null
  return (
    <Note className="print:hidden">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span className="min-w-0 flex-1 basis-64">
          Your servers depend on one password. Twelve words on a paper can set a new one.
        </span>
        <Link href={settingsPath('recovery')} className={buttonClass({ size: 'sm' })}>
          Make a recovery kit
        </Link>
      </div>
    </Note>
  )
}

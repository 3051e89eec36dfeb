import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { settingsPath } from '../../lib/paths/paths.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { buttonClass } from '../../ui/form/button.tsx'

/** Programs that wait for a webhook do not notice that it is off; their owner must. */
export function SwitchedOffWebhooks() {
  const { data = [] } = useQuery(query(api.ownWebhooks.list))
  const off = data.filter(({ offReason }) => offReason !== null)
  if (off.length === 0) return null
  const hosts = off.map(({ url }) => new URL(url).host).join(', ')
  return (
    <Note tone="warn" className="print:hidden">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span className="min-w-0 flex-1 basis-64 break-words">
          Nothing is sent to {hosts} any more: we switched{' '}
          {off.length === 1 ? 'this webhook' : 'these webhooks'} off.
        </span>
        <Link href={settingsPath('webhooks')} className={buttonClass({ size: 'sm' })}>
          See webhooks
        </Link>
      </div>
    </Note>
  )
}

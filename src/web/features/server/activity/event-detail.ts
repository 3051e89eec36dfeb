import type { ServerEvent } from '#shared/api/overview/servers.ts'
import { MADE_WITH } from '#shared/rules/token/given-by-hand.ts'
import { notAppliedWords } from '../../../lib/billing/not-applied.ts'

/** More about an event in a sentence; undefined where its action says it all. */
export function eventDetail({ action, details }: Pick<ServerEvent, 'action' | 'details'>) {
  if (action === 'instance.suspend') return text(details.reason)
  if (action.startsWith('instance.reinstall')) return text(details.osType)
  if (SNAPSHOTS.includes(action)) return text(details.snapshot)
  if (action.startsWith('instance.package')) return text(details.package)
  if (action === 'instance.backup-refused') return text(details.why)
  if (action === 'order.provision') return notAppliedWords(wishesIn(details.notApplied))
  const tellsWhat = action === 'instance.configure' || action === 'instance.rename'
  return tellsWhat ? listed(details.changed) : undefined
}

const SNAPSHOTS = ['instance.snapshot', 'instance.snapshot-delete', 'instance.rollback']

const wishesIn = (value: unknown) =>
  MADE_WITH.filter((wish) => Array.isArray(value) && value.includes(wish))

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const listed = (value: unknown): string | undefined =>
  Array.isArray(value) ? value.map(String).join(', ') : undefined

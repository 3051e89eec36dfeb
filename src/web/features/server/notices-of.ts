import type { Server } from '#shared/api/overview/servers.ts'

const KINDS = [
  'jobs',
  'cd',
  'transfer',
  'suspended',
  'ended',
  'missing',
  'unknown',
  'backup',
  'traffic',
  'failure',
] as const
export type NoticeKind = (typeof KINDS)[number]

/** What there is to say about a server, in its order. Most of the time it is nothing. */
export function noticesOf({ jobs, term, status, ...server }: Server): NoticeKind[] {
  const has: Record<NoticeKind, boolean> = {
    jobs: jobs.length > 0,
    cd: server.cd !== null,
    transfer: server.transfer !== null || server.isLoginPending,
    suspended: server.suspended !== null,
    ended: term === 'expired' || term === 'cancelled',
    missing: status === 'missing',
    unknown: status === 'unknown',
    backup: server.daysWithoutBackup !== null,
    traffic: server.traffic.level > 0,
    failure: Boolean(server.failure),
  }
  return KINDS.filter((kind) => has[kind])
}

import { DAY_MS } from '#shared/rules/time/durations.ts'
import { pruneAudit } from './audit/prune-audit.ts'
import type { usersService } from './features/users/users.service.ts'
import type { JobDefinition } from './jobs/job-definition.ts'
import type { Parts } from './parts.ts'
import { createNextPackageSweep } from './provisioning/package-change/next-package-sweep.ts'
import { createSilenceSweep } from './provisioning/provision/silence.ts'
import { createHealSweep } from './traffic/heal-sweep.ts'
import { pruneTraffic } from './traffic/prune-traffic.ts'

/** A server is never stopped early, nor are rules taken back early, and at most this late. */
const TICK_MS = 3000
const LAPSE_MS = 10_000
const SILENCE_MS = 5000
const WATCH_MS = 10_000
const HOST_KEYS_MS = 10_000
const HANDOVERS_MS = 60_000
const SNAPSHOTS_MS = 60_000
const BACKUPS_MS = 20_000
const CDS_MS = 60_000
const RATES_MS = 30_000
const GAPS_MS = 60_000
const REVERSE_NAMES_MS = 5000
const WEBHOOKS_MS = 2000

/**
 * The kinds of jobs that workers know. Each checks its own input, so the input type may be erased.
 */
export const jobsOf = (parts: Parts) =>
  [
    parts.provision,
    parts.stop,
    parts.start,
    parts.end,
    parts.reinstall,
    parts.password,
    parts.handover,
    parts.snapshot,
    parts.rollback,
    parts.changePackage,
    parts.deleteSnapshot,
    parts.backup,
    parts.restore,
    parts.lastBackup,
    parts.deleteBackup,
    parts.insertCd,
    parts.takeCdOut,
    parts.refund,
    parts.clone,
    parts.webhooks.job,
  ] as unknown as JobDefinition[]

/** Everything that runs without a request: jobs, sweeps, and deletions after a retention time. */
export function schedule(parts: Parts, users: ReturnType<typeof usersService>): void {
  const { jobs, clock, database, sessions, limiters, idempotency, events, failures } = parts
  for (const job of jobsOf(parts)) jobs.define(job)

  jobs.often('expire-tokens', TICK_MS, parts.sweep)
  jobs.often('lapse-orders', LAPSE_MS, parts.lapse)
  jobs.often('return-money-of-silent-servers', SILENCE_MS, createSilenceSweep(parts))
  jobs.often('read-host-keys', HOST_KEYS_MS, parts.hostKeys.sweep)
  jobs.often('retry-handovers', HANDOVERS_MS, parts.handovers)
  jobs.often('expire-snapshots', SNAPSHOTS_MS, parts.snapshotSweep)
  jobs.often('begin-backups', BACKUPS_MS, parts.scheduleSweep)
  jobs.often('begin-last-backups', BACKUPS_MS, parts.lastBackupSweep)
  jobs.often('drop-left-archives', CDS_MS, parts.leftArchives)
  jobs.often('prune-backups', BACKUPS_MS, parts.pruneSweep)
  jobs.often('begin-package-changes', CDS_MS, createNextPackageSweep(parts))
  jobs.often('take-cds-out', CDS_MS, parts.cdSweep)
  jobs.often('keep-rates', RATES_MS, parts.rateSweep)
  jobs.often('heal-traffic', GAPS_MS, createHealSweep(parts))
  jobs.often('revert-firewalls', TICK_MS, parts.trialSweep)
  jobs.often('tell-reverse-names', REVERSE_NAMES_MS, parts.tellNames)
  jobs.often('deliver-webhooks', WEBHOOKS_MS, parts.outgoing.deliver)
  jobs.every('tell-ends-soon', '* * * * *', parts.outgoing.endingSoon)
  jobs.every('settle-reverse-names', '* * * * *', parts.nameDrift)
  jobs.every('check-firewalls', '*/10 * * * *', parts.firewallSweep)
  jobs.every('withdraw-seeds', '*/5 * * * *', parts.seedSweep)
  jobs.every('renew-from-credit', '* * * * *', parts.autoRenewSweep)
  jobs.every('poll-payments', '* * * * *', parts.poll.run)
  jobs.every('issue-receipts', '* * * * *', parts.receipts.sweep)
  jobs.often('watch-payments', WATCH_MS, parts.poll.watch)
  jobs.every('report-failed-logins', '1 * * * *', () => failures.report(parts.audit))

  jobs.every('finish-recoveries', '* * * * *', () => parts.recoveries.sweep())

  jobs.every('maintain-database', '17 * * * *', () => database.maintain())
  jobs.every('forget-sessions', '*/15 * * * *', () => sessions.prune())
  jobs.every('forget-challenges', '*/15 * * * *', () => parts.secondFactors.passkeys.prune())
  jobs.every('forget-limits', '*/15 * * * *', () => limiters.prune())
  jobs.every('forget-presses', '*/15 * * * *', () => idempotency.prune())
  jobs.every('forget-events', '23 * * * *', () =>
    events.prune(new Date(clock.now().getTime() - DAY_MS)),
  )
  jobs.every('forget-reports', '53 3 * * *', () => parts.reports.prune())
  jobs.every('forget-deliveries', '37 3 * * *', parts.outgoing.prune)
  jobs.every('forget-failed-logins', '47 3 * * *', () => failures.prune())
  jobs.every('forget-audit', '11 4 * * *', pruneAudit(parts))
  jobs.every('forget-traffic', '29 3 * * *', pruneTraffic(parts))
  jobs.every('forget-addresses', '41 3 * * *', () => users.forgetAddresses())
}

/**
 * What Hushbox promises to survive (R1 to R16), and the tests that prove it. `npm run test:faults`
 * runs these alone; with LONG=1 in their long figures.
 */
export const PROMISES = {
  'R1 of many who want one thing, one gets it': [
    'test/faults/one-winner.test.ts',
    'test/faults/snapshot-quota.test.ts',
    'test/faults/restore-presses.test.ts',
    'src/server/provisioning/races.test.ts',
    'src/server/features/auth/auth.test.ts',
    'src/server/features/users/users.test.ts',
  ],
  'R2 kill -9 at any moment of a sale loses nothing': [
    'test/faults/kill/provision-kill.test.ts',
    'test/faults/kill/proof-kill.test.ts',
    'test/faults/kill/acts-kill.test.ts',
    'test/faults/kill/reinstall-kill.test.ts',
    'test/faults/kill/rollback-kill.test.ts',
    'test/faults/kill/restore-kill.test.ts',
    'test/faults/kill/restore-into-kill.test.ts',
    'test/faults/kill/package-change-kill.test.ts',
    'test/faults/kill/kill.test.ts',
  ],
  'R3 every step can be repeated and undone': [
    'src/server/provisioning/provision/saga-laws.test.ts',
  ],
  'R4 whatever the cluster does, pages answer and work is finished': [
    'src/proxmox/faults.test.ts',
    'src/server/provisioning/provision/provision-faults.test.ts',
    'src/server/features/console/console-faults.test.ts',
    'test/faults/operator.test.ts',
  ],
  'R5 whatever a payment provider reports, an order is what it should be': [
    'test/faults/payments/payments.test.ts',
    'src/server/payments/webhooks.test.ts',
  ],
  'R6 every cent is somewhere': [
    'src/server/ledger/ledger.test.ts',
    'src/server/provisioning/provision/silence.test.ts',
    'src/server/provisioning/provision/answer-faults.test.ts',
    'src/server/provisioning/provision/answer-providers.test.ts',
    'test/faults/payments/payments.test.ts',
    'test/faults/one-winner.test.ts',
  ],
  'R7 time ends when it is over': [
    'src/server/provisioning/lifecycle/expiry.test.ts',
    'src/server/provisioning/lifecycle/clock-jumps.test.ts',
    'src/server/provisioning/lifecycle/clock-jumps-acts.test.ts',
    'src/shared/rules/token/token-expiry.test.ts',
    'e2e/servers/expiry.e2e.ts',
  ],
  'R8 a page that lost the line says so and misses nothing': [
    'src/server/events/event-bus.test.ts',
    'e2e/pages/palette.e2e.ts',
    'e2e/pages/live.e2e.ts',
  ],
  'R9 an end and an upgrade drop nothing': [
    'test/faults/processes.test.ts',
    'src/server/db/migrate.test.ts',
  ],
  'R10 what was backed up comes back': [
    'test/faults/backup.test.ts',
    'src/server/backup/drill.test.ts',
    'src/server/backup/changed-cluster.test.ts',
    'test/faults/commands.test.ts',
  ],
  'R11 what happens behind our back is shown, and never undone': [
    'src/server/features/sync/sync.test.ts',
    'src/server/inventory/sync/vanished.test.ts',
  ],
  'R12 ten minutes of load leave nothing behind': ['bench/server/soak.ts'],
  'R13 an embedded database has one writer': [
    'src/server/db/data-dir-lock.test.ts',
    'test/faults/kill/kill.test.ts',
  ],
  'R14 PostgreSQL may go away and come back': [
    'test/faults/database-away.test.ts',
    'src/server/db/lost-connection.test.ts',
  ],
  'R15 a connection may end at any moment of its life': [
    'test/faults/resets.test.ts',
    'src/server/http/event-stream.test.ts',
    'src/server/runtime/last-resort.test.ts',
    'test/faults/malformed.test.ts',
  ],
  'R16 one press is one order': [
    'test/faults/retried-purchases.test.ts',
    'test/faults/one-press.test.ts',
    'src/server/idempotency/idempotency.test.ts',
    'src/server/idempotency/every-route.test.ts',
    'src/server/provisioning/unpaid-limits.test.ts',
    'e2e/money/one-press.e2e.ts',
    'e2e/money/many-presses.e2e.ts',
  ],
} as const satisfies Record<string, readonly string[]>

/** The files of one kind, each once. */
export const promised = (ending: '.test.ts' | '.e2e.ts'): string[] => [
  ...new Set(
    Object.values(PROMISES)
      .flat()
      .filter((path) => path.endsWith(ending)),
  ),
]

/** Tests that have a long run, by LONG=1; `npm run test:long` runs these. */
export const LONG_TESTS = [
  'src/server/provisioning/provision/real-answers.test.ts',
  'src/server/provisioning/provision/answer-table.test.ts',
  'test/faults/kill/provision-kill.test.ts',
  'test/faults/kill/acts-kill.test.ts',
  'test/faults/kill/reinstall-kill.test.ts',
  'test/faults/kill/restore-kill.test.ts',
  'test/faults/kill/restore-into-kill.test.ts',
  'test/faults/kill/rollback-kill.test.ts',
  'test/faults/kill/package-change-kill.test.ts',
  'test/faults/snapshot-quota.test.ts',
  'test/faults/restore-presses.test.ts',
  'src/server/provisioning/backups/present-holds.test.ts',
  'test/faults/one-winner.test.ts',
  'test/faults/one-press.test.ts',
  'test/faults/payments/payments.test.ts',
  'test/faults/backup.test.ts',
  'test/faults/growth.test.ts',
  'test/faults/resets.test.ts',
  'test/faults/malformed.test.ts',
  'test/fuzz/fuzz.test.ts',
  'src/pve-sim/linux/real-guest.test.ts',
  'src/pve-sim/linux/real-packets.test.ts',
  'src/server/firewalls/every-path.test.ts',
  'src/server/provisioning/token-model.test.ts',
  'src/server/provisioning/provision/secrets.test.ts',
  'src/server/provisioning/lifecycle/taken-back.test.ts',
]

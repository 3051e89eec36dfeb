import { createFailedLogins } from './accounts/failed-logins.ts'
import { createRecoveries } from './accounts/recoveries.ts'
import { createApiKeys } from './api-keys/api-keys.ts'
import { createAudit } from './audit/audit-log.ts'
import { createCoupons } from './coupons/coupons.ts'
import { cloneJob } from './features/templates/clone-template.ts'
import { createFirewallSweep } from './firewalls/firewall-sweep.ts'
import { createTrialSweep } from './firewalls/trial-sweep.ts'
import { createHostKeySweep } from './host-keys/host-key-sweep.ts'
import { createIdempotency } from './idempotency/idempotency.ts'
import { createLimiters } from './limits/limiters.ts'
import { createCheckouts } from './payments/checkouts.ts'
import { lapseSweep } from './payments/lapse.ts'
import { createPaymentPoll } from './payments/poll.ts'
import { refundJob } from './payments/refund-job.ts'
import { createSettlement } from './payments/settlement.ts'
import { createSubscriptions } from './payments/subscriptions.ts'
import { createProviders } from './payments/ways/providers.ts'
import { createWays } from './payments/ways/ways.ts'
import { createReports, paymentReports } from './payments/webhook-reports.ts'
import { createWebhooks } from './payments/webhooks.ts'
import { createAutoRenewSweep } from './provisioning/auto-renew/auto-renew-sweep.ts'
import { createAutoRenewals } from './provisioning/auto-renew/auto-renewals.ts'
import { backupJob, lastBackupJob } from './provisioning/backups/backup-job.ts'
import { deleteBackupJob } from './provisioning/backups/delete-backup-job.ts'
import { createLastBackupSweep } from './provisioning/backups/last-backup-sweep.ts'
import { createPruneSweep } from './provisioning/backups/prune-sweep.ts'
import { restoreJob } from './provisioning/backups/restore-job.ts'
import { createScheduleSweep } from './provisioning/backups/schedule-sweep.ts'
import { createCdSweep } from './provisioning/cds/cd-sweep.ts'
import { insertCdJob } from './provisioning/cds/insert-job.ts'
import { createIsoProbe } from './provisioning/cds/iso-probe.ts'
import { takeOutJob } from './provisioning/cds/take-out-job.ts'
import { createFulfilment } from './provisioning/fulfilment.ts'
import { handoverJob } from './provisioning/handover/handover-job.ts'
import { handoverSweep } from './provisioning/handover/handover-sweep.ts'
import { createTakeOver } from './provisioning/handover/take-over.ts'
import { createEndings } from './provisioning/lifecycle/end-server.ts'
import { expirySweep } from './provisioning/lifecycle/expiry-sweep.ts'
import { createLeftArchiveSweep } from './provisioning/lifecycle/left-archives.ts'
import { endJob, startJob, stopJob } from './provisioning/lifecycle/lifecycle-jobs.ts'
import { createSuspensions } from './provisioning/lifecycle/suspension.ts'
import { createTakenBack } from './provisioning/lifecycle/taken-back.ts'
import { createWitness } from './provisioning/lifecycle/witness.ts'
import { passwordJob } from './provisioning/new-password/password-job.ts'
import { changeJob } from './provisioning/package-change/change-job.ts'
import { createPackageOrders } from './provisioning/package-orders.ts'
import { provisionJob } from './provisioning/provision/provision-job.ts'
import { reinstallJob } from './provisioning/reinstall/reinstall-job.ts'
import { createRenewals } from './provisioning/renewals.ts'
import { createSales } from './provisioning/sales.ts'
import { createSeedSweep } from './provisioning/seed/seed-sweep.ts'
import { deleteSnapshotJob } from './provisioning/snapshots/delete-job.ts'
import { rollbackJob } from './provisioning/snapshots/rollback-job.ts'
import { createSnapshotSweep } from './provisioning/snapshots/snapshot-sweep.ts'
import { takeJob } from './provisioning/snapshots/take-job.ts'
import { createUnpaidLimits } from './provisioning/unpaid-limits.ts'
import { createReceipts } from './receipts/receipts.ts'
import { createForwardCheck } from './reverse-dns/forward-check.ts'
import { createNameDriftSweep } from './reverse-dns/name-drift.ts'
import { createNameTeller } from './reverse-dns/tell-names.ts'
import type { Deps } from './runtime/deps.ts'
import { createSecondFactors } from './second-factor/second-factors.ts'
import { createSessions } from './sessions/sessions.ts'
import { createRateSweep } from './traffic/rate-sweep.ts'
import { createOutgoing } from './webhooks/outgoing.ts'

export type Parts = ReturnType<typeof createParts>

/**
 * Everything that features share, created once, in order of dependency. Each part gets what it
 * needs by name; a feature takes what it needs from the whole.
 */
export function createParts(deps: Deps) {
  const { config, database, db, clock, random, keyring, events, jobs, hypervisors, log } = deps

  const audit = createAudit(clock)
  const sessions = createSessions({ db, clock, random, events, log })
  const apiKeys = createApiKeys({ db, clock, random, keyring, log })
  const limiters = createLimiters({ config, database, keyring })
  const idempotency = createIdempotency({ db, clock, keyring, log })
  const failures = createFailedLogins({ db, clock })
  const secondFactors = createSecondFactors({ db, clock, random, keyring, limiters, config })
  const recoveries = createRecoveries({ db, clock, events, sessions, audit, config })

  // Long work, in steps.
  const witness = createWitness(clock)
  const needs = { config, db, clock, random, keyring, events, hypervisors, log, audit, witness }
  const provision = provisionJob(needs)
  const stop = stopJob(needs)
  const start = startJob(needs)
  const end = endJob(needs)
  const reinstall = reinstallJob(needs)
  const password = passwordJob(needs)
  const handover = handoverJob(needs)
  const snapshot = takeJob(needs)
  const rollback = rollbackJob(needs)
  const changePackage = changeJob(needs)
  const deleteSnapshot = deleteSnapshotJob(needs)
  const backup = backupJob(needs)
  const restore = restoreJob(needs)
  const lastBackup = lastBackupJob(needs)
  const deleteBackup = deleteBackupJob(needs)
  const probeIso = createIsoProbe(db, { allowsLoopback: config.demo })
  const insertCd = insertCdJob(needs, probeIso)
  const takeCdOut = takeOutJob(needs)
  const clone = cloneJob({ db, events, clock, hypervisors, log })

  // From an order to money, and from money to a server.
  const providers = createProviders(config, { db, clock, log, keyring })
  const ways = createWays({ db, clock, keyring, log, providers })
  const suspensions = createSuspensions({ clock, jobs, stop, start })
  const takenBack = createTakenBack({ clock, suspensions })
  const fulfil = createFulfilment({
    db,
    clock,
    random,
    keyring,
    hypervisors,
    jobs,
    log,
    audit,
    provision,
    start,
  })
  const settlement = createSettlement({ db, clock, events, audit, fulfil, takenBack })
  const checkouts = createCheckouts({ db, clock, config, providers, ways, audit, fulfil })
  const receipts = createReceipts({ db, clock, keyring, config })
  const refund = refundJob({ db, clock, events, providers, settlement })
  const coupons = createCoupons({ db, clock, limiters })
  const unpaid = createUnpaidLimits({ clock, keyring, config })
  const selling = {
    db,
    clock,
    events,
    hypervisors,
    keyring,
    random,
    audit,
    checkouts,
    coupons,
    unpaid,
    jobs,
    stop,
  }
  const sales = createSales(selling)
  const renewals = createRenewals(selling)
  const autoRenewals = createAutoRenewals({ db, clock, events, audit })
  const autoRenewSweep = createAutoRenewSweep({ db, clock, events, log, audit, checkouts })
  const packageOrders = createPackageOrders(selling)

  // How we learn of money: the provider's reports, and our own polls.
  const subscriptions = createSubscriptions({
    db,
    clock,
    events,
    audit,
    config,
    settlement,
    recurring: async () => (await providers.now(db)).recurring,
  })
  const readers = [paymentReports({ db, providers, settle: settlement.settle }), subscriptions.read]
  const reports = createReports({ db, clock, readers })
  const webhooks = createWebhooks({ db, clock, jobs, log, providers, reports })
  const poll = createPaymentPoll({
    db,
    clock,
    keyring,
    log,
    providers,
    ways,
    settle: settlement.settle,
    reports,
    subscriptions,
  })

  // What time does to orders and servers, and what ends a server.
  const lapse = lapseSweep({ db, clock, events, log, audit, providers, settlement })
  const endings = createEndings({ db, clock, events, jobs, audit, providers, refund, stop })
  const sweep = expirySweep({
    config,
    db,
    clock,
    random,
    keyring,
    events,
    hypervisors,
    log,
    audit,
    witness,
    jobs,
    stop,
    start,
    end,
  })
  const takeOver = createTakeOver({ db, clock, random, events, jobs, keyring, audit, handover })
  const handovers = handoverSweep({ db, clock, jobs, handover })
  const snapshotSweep = createSnapshotSweep({ db, clock, jobs, deleteSnapshot })
  const scheduleSweep = createScheduleSweep({ db, clock, random, events, jobs, audit, backup })
  const lastBackupSweep = createLastBackupSweep({ db, clock, random, jobs, log, lastBackup })
  const leftArchives = createLeftArchiveSweep({ db, clock, hypervisors, log })
  const pruneSweep = createPruneSweep({ db, clock, jobs, deleteBackup })
  const cdSweep = createCdSweep({ db, clock, jobs, hypervisors, log, takeCdOut })
  const firewallSweep = createFirewallSweep({ db, clock, hypervisors, log })
  const rateSweep = createRateSweep({ db, clock, hypervisors, log })
  const trialSweep = createTrialSweep({ db, clock, hypervisors, events, audit, log })
  const seedSweep = createSeedSweep({ db, clock, hypervisors, log })
  const forwardCheck = createForwardCheck(config.dnsServers)
  const tellNames = createNameTeller({ db, clock, keyring, events, config, log })
  const nameDrift = createNameDriftSweep({ db, clock })
  const hostKeys = createHostKeySweep({ config, db, clock, events, log, audit })
  const outgoing = createOutgoing({ db, clock, random, keyring, config, log, audit })

  return {
    config,
    database,
    db,
    clock,
    random,
    keyring,
    events,
    jobs,
    hypervisors,
    links: deps.links,
    sync: deps.sync,
    instanceList: deps.instanceList,
    background: deps.background,
    log,
    audit,
    sessions,
    apiKeys,
    limiters,
    idempotency,
    failures,
    secondFactors,
    recoveries,
    provision,
    stop,
    start,
    end,
    reinstall,
    password,
    handover,
    snapshot,
    rollback,
    changePackage,
    deleteSnapshot,
    backup,
    restore,
    lastBackup,
    deleteBackup,
    probeIso,
    insertCd,
    takeCdOut,
    clone,
    refund,
    providers,
    ways,
    suspensions,
    fulfil,
    settlement,
    checkouts,
    receipts,
    coupons,
    unpaid,
    sales,
    renewals,
    autoRenewals,
    autoRenewSweep,
    packageOrders,
    subscriptions,
    reports,
    webhooks,
    poll,
    lapse,
    endings,
    sweep,
    takeOver,
    handovers,
    snapshotSweep,
    scheduleSweep,
    pruneSweep,
    lastBackupSweep,
    leftArchives,
    cdSweep,
    seedSweep,
    firewallSweep,
    rateSweep,
    trialSweep,
    forwardCheck,
    tellNames,
    nameDrift,
    hostKeys,
    outgoing,
  }
}

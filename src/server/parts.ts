import { createFailedLogins } from './accounts/failed-logins.ts'
import { createAudit } from './audit/audit-log.ts'
import { cloneJob } from './features/templates/clone-template.ts'
import { createHostKeySweep } from './host-keys/host-key-sweep.ts'
import { createIdempotency } from './idempotency/idempotency.ts'
import { createLimiters } from './limits/limiters.ts'
import { createCheckouts } from './payments/checkouts.ts'
import { lapseSweep } from './payments/lapse.ts'
import { createPaymentPoll } from './payments/poll.ts'
import { paymentProvider } from './payments/providers/choose.ts'
import { stripeSubscriptions } from './payments/providers/stripe-subscriptions.ts'
import { refundJob } from './payments/refund-job.ts'
import { createSettlement } from './payments/settlement.ts'
import { createSubscriptions } from './payments/subscriptions.ts'
import { createReports, paymentReports } from './payments/webhook-reports.ts'
import { createWebhooks } from './payments/webhooks.ts'
import { createFulfilment } from './provisioning/fulfilment.ts'
import { handoverJob } from './provisioning/handover/handover-job.ts'
import { handoverSweep } from './provisioning/handover/handover-sweep.ts'
import { createTakeOver } from './provisioning/handover/take-over.ts'
import { createEndings } from './provisioning/lifecycle/end-server.ts'
import { expirySweep } from './provisioning/lifecycle/expiry-sweep.ts'
import { endJob, startJob, stopJob } from './provisioning/lifecycle/lifecycle-jobs.ts'
import { createSuspensions } from './provisioning/lifecycle/suspension.ts'
import { createTakenBack } from './provisioning/lifecycle/taken-back.ts'
import { passwordJob } from './provisioning/new-password/password-job.ts'
import { createPackageOrders } from './provisioning/package-orders.ts'
import { provisionJob } from './provisioning/provision/provision-job.ts'
import { reinstallJob } from './provisioning/reinstall/reinstall-job.ts'
import { createRenewals } from './provisioning/renewals.ts'
import { createSales } from './provisioning/sales.ts'
import { createSeedSweep } from './provisioning/seed/seed-sweep.ts'
import { createUnpaidLimits } from './provisioning/unpaid-limits.ts'
import type { Deps } from './runtime/deps.ts'
import { createSessions } from './sessions/sessions.ts'

export type Parts = ReturnType<typeof createParts>

/**
 * Everything that features share, created once, in order of dependency. Each part gets what it
 * needs by name; a feature takes what it needs from the whole.
 */
export function createParts(deps: Deps) {
  const { config, database, db, clock, random, keyring, events, jobs, hypervisors, log } = deps
  const { links, sync, instanceList, background } = deps

  const audit = createAudit(clock)
  const sessions = createSessions({ db, clock, random, events })
  const limiters = createLimiters({ config, database, keyring })
  const idempotency = createIdempotency({ db, clock, keyring, log })
  const failures = createFailedLogins({ db, clock })

  // Long work, in steps.
  const needs = { config, db, clock, random, keyring, events, hypervisors, log, audit }
  const provision = provisionJob(needs)
  const stop = stopJob(needs)
  const start = startJob(needs)
  const end = endJob(needs)
  const reinstall = reinstallJob(needs)
  const password = passwordJob(needs)
  const handover = handoverJob(needs)
  const clone = cloneJob({ db, events, clock, hypervisors, log })

  // From an order to money, and from money to a server.
  const provider = paymentProvider(config, clock)
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
  const { settle } = settlement
  const checkouts = createCheckouts({ db, clock, config, provider, fulfil })
  const refund = refundJob({ db, clock, events, provider, settlement })
  const unpaid = createUnpaidLimits({ clock, keyring, config })
  const sales = createSales({
    db,
    clock,
    events,
    hypervisors,
    keyring,
    random,
    audit,
    checkouts,
    unpaid,
  })
  const renewals = createRenewals({ db, clock, events, jobs, audit, checkouts, config, stop })
  const packageOrders = createPackageOrders({
    db,
    clock,
    events,
    hypervisors,
    keyring,
    random,
    audit,
    checkouts,
    unpaid,
    config,
  })

  // How we learn of money: the provider's reports, and our own polls.
  const recurring = config.stripe && stripeSubscriptions(config.stripe)
  const subscriptions = createSubscriptions({
    db,
    clock,
    events,
    audit,
    config,
    settlement,
    recurring,
  })
  const readers = [paymentReports({ db, provider, settle }), subscriptions.read]
  const reports = createReports({ db, clock, readers })
  const webhooks = createWebhooks({ db, clock, jobs, log, provider, reports })
  const poll = createPaymentPoll({
    db,
    clock,
    keyring,
    log,
    provider,
    settle,
    reports,
    subscriptions,
  })

  // What time does to orders and servers, and what ends a server.
  const lapse = lapseSweep({ db, clock, events, log, audit, provider, settlement })
  const endings = createEndings({ db, clock, events, jobs, audit, provider, refund, stop })
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
    jobs,
    stop,
    start,
    end,
  })
  const takeOver = createTakeOver({ db, clock, random, events, jobs, keyring, audit, handover })
  const handovers = handoverSweep({ db, clock, jobs })
  const seedSweep = createSeedSweep({ db, clock, hypervisors, log })
  const hostKeys = createHostKeySweep({ config, db, clock, events, log, audit })

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
    links,
    sync,
    instanceList,
    background,
    log,
    audit,
    sessions,
    limiters,
    idempotency,
    failures,
    provision,
    stop,
    start,
    end,
    reinstall,
    password,
    handover,
    clone,
    refund,
    provider,
    suspensions,
    fulfil,
    settlement,
    checkouts,
    unpaid,
    sales,
    renewals,
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
    seedSweep,
    hostKeys,
  }
}

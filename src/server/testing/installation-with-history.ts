import { and, eq, sql } from 'drizzle-orm'
import type { Sim } from '#pve-sim/sim.ts'
import { api } from '#shared/api/index.ts'
import { DAY_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { createAudit } from '../audit/audit-log.ts'
import { pruneAudit } from '../audit/prune-audit.ts'
import { rowsOf, tableNames } from '../db/catalog.ts'
import type { Database, Db } from '../db/database.ts'
import { addresses, pools } from '../db/schema/addresses.ts'
import { heartbeats, leases, limits } from '../db/schema/work.ts'
import { seed } from '../first-start/seed.ts'
import { createHostKeySweep } from '../host-keys/host-key-sweep.ts'
import type { ClusterRow } from '../inventory/clusters/cluster-store.ts'
import type { Clock } from '../lib/clock.ts'
import { startBtcpay } from '../payments/testing/btcpay-stand-in.ts'
import { startMonero } from '../payments/testing/monero/monero-stand-in.ts'
import { startStripe } from '../payments/testing/stripe-stand-in.ts'
import { REAL_MONEY } from '../payments/testing/till.ts'
import { openShop } from '../provisioning/testing/shop.ts'
import { createReceipts } from '../receipts/receipts.ts'
import { trafficRows } from '../traffic/testing/traffic-rows.ts'
import { atEnd } from './at-end.ts'
import { handRun } from './history/hand-run.ts'
import { soldForMonero } from './history/monero-history.ts'
import {
  couponsMade,
  creditBought,
  handedOver,
  NO_TEMPLATE,
  packagePlanned,
  soldByCard,
  soldByHand,
  soldForBitcoin,
  vouchersMade,
} from './history/sales-history.ts'
import { failedSale, freeTrial, queuedSale, waitingSale } from './history/sales-under-way.ts'
import { withBackups, withCds, withSnapshots } from './history/ways-back-history.ts'
import { orderedByKey, waysInSetUp, webhookMade } from './history/ways-in-history.ts'
import { type Person, type TestApp, testApp, testClock } from './test-app.ts'
import { addSimCluster, startTestSim } from './with-sim.ts'

const FIRST_ADMIN = {
  adminEmail: 'first@example.test',
  adminPassword: 'the first of its kind',
}

const HISTORY_DAYS = 40

/**
 * An installation in use: every kind of row, in every possible state, made by the product's own
 * routes and jobs. A new table or state gets its line here; `tablesWithoutRows` finds missing ones.
 * Nothing runs on its own: the jobs in progress wait for the next server on this database.
 */
export async function installationWithHistory(database: Database) {
  const clock = testClock(new Date(Date.now() - HISTORY_DAYS * DAY_MS))
  const btcpay = await startBtcpay({ clock })
  const stripe = await startStripe({ clock })
  const monero = await startMonero({ clock })
  atEnd(async () => {
    await monero.close()
    await btcpay.close()
    await stripe.close()
  })
  const options = { on: database, clock }
  const t = await testApp({ ...options, sim: true, env: { ...btcpay.env, ...REAL_MONEY } })
  await longAgo(t, clock)
  await seed(t.db, FIRST_ADMIN, t.deps.random)
  const shop = await openShop(t)
  await t.db.update(pools).set(NAMES).where(eq(pools.clusterId, t.cluster.id))
  const second = await secondCluster(t)
  await readInventory(t, [t.cluster, second.cluster])
  const byCard = await testApp({ ...options, env: { ...stripe.env, ...REAL_MONEY } })
  const byHand = await testApp({ ...options, env: { PAYMENT_PROVIDER: 'manual' } })
  const byMonero = await testApp({ ...options, env: { ...monero.env, ...REAL_MONEY } })
  for (const one of [byCard, byHand, byMonero])
    await readInventory(one, [t.cluster, second.cluster])

  const hand = handRun(t)
  const cards = handRun(byCard)
  const manual = handRun(byHand)
  const onSale = shop.token
  const bitcoin = await soldForBitcoin(hand, btcpay, onSale)
  const card = await soldByCard(cards, stripe, onSale)
  const pass = async (minutes: number) => {
    clock.advance(minutes * MINUTE_MS)
    await hand.tick()
  }
  const days = (count: number) => pass(count * 24 * 60)

  // The first days: servers that will end in each possible way.
  const plan = await operatorSetsUp(shop.admin)
  const registered = await t.visitor.call(api.auth.register, {
    body: { agreedToTerms: true, deviceMacAddress: '02:00:00:aa:bb:cc' },
  })
  const guess = { username: registered.username, password: 'a guess' }
  await t.visitor.attempt(api.auth.login, { body: guess })
  const inGrace = await bitcoin.paid({ durationDays: 33 })
  const running = await bitcoin.paid({ durationDays: 90 })
  const renewed = await bitcoin.paid({ durationDays: 30, hasWishes: true })
  await bitcoin.renewed(renewed.client, renewed.token.id)
  const destroyed = await bitcoin.paid()
  await t.as(destroyed.client).call(api.client.cancel, { params: { id: destroyed.token.id } })
  const trial = await freeTrial(hand, onSale)
  await days(1)
  await days(8)

  const withCredit = await bitcoin.overpaid()
  await bitcoin.partial()
  await bitcoin.late(pass)
  const refunded = await card.refunded(byCard.as(await t.make.admin()))
  const disputed = await card.disputed()
  const subscribed = await card.subscribed()
  const deleted = await bitcoin.paid({ durationDays: 90, hasWishes: true })
  await shop.admin.call(api.users.remove, { params: { id: deleted.client.id } })
  await days(HISTORY_DAYS - 12)

  // Now: what is in progress, and what ended recently.
  const cancelled = await bitcoin.paid({ durationDays: 90 })
  await t.as(cancelled.client).call(api.client.cancel, { params: { id: cancelled.token.id } })
  await days(2)
  const withdrawn = await onSale()
  await shop.admin.call(api.tokens.remove, { params: { id: withdrawn.id } })
  await onSale()
  await onSale({ tokenType: 'ready', instanceId: (await shop.vm(102)).id })
  await readInventory(byHand, [t.cluster, second.cluster])
  await orderedByKey(byHand, plan.packageId, 'Debian 12')
  const orders = await soldByHand(manual, byHand.as(await t.make.admin()), plan.packageId)
  await readInventory(byMonero, [t.cluster, second.cluster])
  const coins = await soldForMonero(handRun(byMonero), monero, onSale)
  const failed = await failedSale(hand, bitcoin)
  const waiting = await waitingSale(hand, bitcoin)
  const provisioning = await queuedSale(hand, bitcoin)
  const confirming = await bitcoin.confirming()
  const pending = await bitcoin.pending()
  await handedOver(hand, await bitcoin.paid({ durationDays: 90 }))
  const pair = async () => [
    await bitcoin.paid({ durationDays: 90 }),
    await bitcoin.paid({ durationDays: 90 }),
  ]
  const beginSnapshots = await withSnapshots(hand, await pair())
  const beginBackups = await withBackups(hand, shop, await pair())
  await withCds(hand, shop, await bitcoin.paid({ durationDays: 90 }))
  await vouchersMade(hand, shop.admin)
  await couponsMade(manual, shop.admin, await bitcoin.paid({ durationDays: 30 }))
  await creditBought(manual, shop.admin, running)
  await packagePlanned(hand, shop.admin, await bitcoin.paid({ durationDays: 30 }))
  await suspend(t, shop.admin, withCredit)
  await hand.work()
  await beginSnapshots()
  await beginBackups()
  await createReceipts(t.deps).sweep()
  await waysInSetUp(t, clock)
  await webhookMade(t)
  await lookInAndWatch(t, running)
  await showHostKeys(t, clock)
  await passingRows(t.db, second.cluster, clock)

  return {
    t,
    shop,
    clock,
    sim: t.sim,
    second,
    registered,
    servers: { running, inGrace, renewed, cancelled, trial, withCredit, subscribed, disputed },
    gone: { destroyed, refunded, deleted, withdrawn },
    underWay: { failed, waiting, provisioning, confirming, pending },
    orders,
    btcpay,
    stripe,
    coins,
    /** Releases the database; the clusters and the providers stay. */
    async close() {
      for (const one of [byHand, byCard, byMonero, t]) await one.close()
    },
  }
}

export type History = Awaited<ReturnType<typeof installationWithHistory>>

/** Years before: the log was pruned once, so its chain begins at a checkpoint. */
async function longAgo(t: TestApp, clock: ReturnType<typeof testClock>): Promise<void> {
  const audit = createAudit(clock)
  const began = clock.now()
  clock.set(new Date(began.getTime() - (t.deps.config.auditDays + 1) * DAY_MS))
  await t.db.transaction((tx) => audit.record(tx, undefined, { action: 'sync.cluster' }))
  clock.set(began)
  await pruneAudit({ ...t.deps, audit })()
}

/** Tables without a row. A new one belongs in the history, or here with a reason. */
export async function tablesWithoutRows(db: Db): Promise<string[]> {
  const empty: string[] = []
  for (const table of await tableNames(db)) {
    const rows = await rowsOf(db, sql`select 1 from ${sql.identifier(table)} limit 1`)
    if (rows.length === 0) empty.push(table)
  }
  return empty
}

/** No DNS server is named yet: the names wait. */
const NAMES = { rdns: '113.0.203.in-addr.arpa', rdnsPattern: '{ip}.vps.example' }

const INNER = {
  name: 'Inner',
  cidr: '198.18.0.0/20',
  gateway: '198.18.0.1',
  bridge: 'vmbr7',
  vlan: 42,
  nameservers: ['198.18.0.2', '198.18.0.3'],
  searchDomain: 'inner.example',
  ranges: [{ first: '198.18.0.10', last: '198.18.15.250' }],
  reserved: [{ address: '198.18.0.20', reason: 'The printer' }],
  rdns: '18.198.in-addr.arpa',
}

async function secondCluster(t: TestApp): Promise<{ sim: Sim; cluster: ClusterRow }> {
  const sim = await startTestSim()
  atEnd(() => sim.close())
  return {
    sim,
    cluster: await addSimCluster(t.deps, sim, { name: 'Second', pool: INNER }),
  }
}

async function readInventory({ deps }: TestApp, clusters: ClusterRow[]): Promise<void> {
  await deps.links.refresh()
  for (const { id } of clusters) await deps.hypervisors.of(id).inventory.refresh()
}

type Admin = ReturnType<TestApp['as']>

async function operatorSetsUp(admin: Admin) {
  await admin.call(api.payments.addPlan, {
    body: { name: 'Monthly', monthlyPrice: '5.00', stripePriceId: 'price_500' },
  })
  const size = { name: 'Odd', cpu: '1 CPU', ram: '1 GB RAM', storage: '20 GB SSD', price: 6 }
  const body = { ...size, osOptions: ['Debian 12', NO_TEMPLATE] }
  const { id: packageId } = await admin.call(api.packages.create, { body })
  return { packageId }
}

async function suspend(t: TestApp, admin: Admin, { client }: { client: Person }): Promise<void> {
  const [instance] = await t.as(client).call(api.client.instances)
  if (!instance) throw new Error('the client has no server')
  const body = { reason: 'It sent spam.' }
  await admin.call(api.instances.suspend, { params: { id: instance.id }, body })
}

/** An admin who simulates a client, and a console ticket that is not redeemed yet. */
async function lookInAndWatch(t: TestApp, { client }: { client: { id: number; role: string } }) {
  const params = { userId: client.id }
  await t.as(await t.make.admin()).call(api.simulation.start, { params })
  const owner = t.as(client)
  const [instance] = await owner.call(api.client.instances)
  if (!instance) throw new Error('the client has no server')
  await owner.call(api.consoles.ticket, { params: { id: instance.id } })
}

/** Every running server was asked for its host keys. */
async function showHostKeys({ deps }: TestApp, clock: Clock): Promise<void> {
  const key = { type: 'ssh-ed25519', publicKey: 'AAAA', fingerprint: 'SHA256:AAAA' }
  const read = async () => ({ is: 'keys', keys: [key] }) as const
  const audit = createAudit(clock)
  await createHostKeySweep({ ...deps, config: { demo: false }, audit, read }).sweep()
}

/** Rows that other processes leave behind, which a test of one process does not have. */
async function passingRows(db: Db, cluster: ClusterRow, clock: Clock): Promise<void> {
  const until = new Date(clock.now().getTime() + DAY_MS)
  await db
    .update(addresses)
    .set({ state: 'cooling', until })
    .where(and(eq(addresses.clusterId, cluster.id), eq(addresses.address, '198.18.0.30')))
  await db.insert(heartbeats).values({ worker: 'killed', at: sql`now()` })
  await db.insert(leases).values({ key: 'clone:1', holder: 'killed', until: sql`now()` })
  await db.insert(limits).values({ key: 'login:x', points: 3, expire: Date.now() })
  await trafficRows(db, clock.now())
}

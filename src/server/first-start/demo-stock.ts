import { and, count, eq } from 'drizzle-orm'
import { poolsOf } from '../addresses/pool-rows.ts'
import { settleAddresses } from '../addresses/settle-addresses.ts'
import type { Db } from '../db/database.ts'
import { templates } from '../db/schema/infrastructure.ts'
import { instances, tokens } from '../db/schema/stock.ts'
import { randomId, randomPassword } from '../lib/random.ts'
import type { Deps } from '../runtime/deps.ts'
import { tokenPassword } from '../secrets/sealed-columns.ts'

type Offer = { name: string; osType: string; username: string; cents: number; days: number }

/** The first stock of the demo: a trial, a purchase and a ready server. */
const FRESH: (Offer & { template: string; last: number })[] = [
  {
    name: 'Taster, 1 CPU, 1 GB RAM, 25 GB SSD',
    template: 'debian-12',
    osType: 'Debian 12',
    username: 'debian',
    cents: 0,
    days: 7,
    last: 60,
  },
  {
    name: 'Small, 1 CPU, 2 GB RAM, 40 GB SSD',
    template: 'ubuntu-22.04',
    osType: 'Ubuntu 22.04',
    username: 'ubuntu',
    cents: 600,
    days: 30,
    last: 61,
  },
  {
    name: 'Medium, 2 CPU, 4 GB RAM, 80 GB SSD',
    template: 'debian-12',
    osType: 'Debian 12',
    username: 'debian',
    cents: 1200,
    days: 30,
    last: 62,
  },
  {
    name: 'Large, 4 CPU, 8 GB RAM, 160 GB SSD',
    template: 'rocky-linux-9',
    osType: 'Rocky Linux 9',
    username: 'rocky',
    cents: 2400,
    days: 30,
    last: 63,
  },
]

const RUNNING: Offer & { vm: string } = {
  name: 'Ready to go, 4 CPU, 8 GB RAM, 40 GB SSD',
  vm: 'web-frontend',
  osType: 'Debian 12',
  username: 'debian',
  cents: 1900,
  days: 30,
}

type StockDeps = Pick<Deps, 'db' | 'keyring' | 'random' | 'clock'>

/** Fills the empty stock of a first run, once the demo cluster has been read. */
export async function stockDemo(deps: StockDeps, clusterId: number): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const [any] = await tx.select({ of: count() }).from(tokens)
    if (!any || any.of > 0) return
    for (const offer of FRESH) await addFresh(tx, deps, clusterId, offer)
    await addRunning(tx, deps, clusterId)
  })
}

function columnsOf(offer: Offer, { keyring, random, clock }: StockDeps) {
  const tokenId = randomId(random)
  return {
    tokenId,
    name: offer.name,
    osType: offer.osType,
    username: offer.username,
    password: keyring.seal(tokenPassword(tokenId), randomPassword(random)),
    monthlyPriceCents: offer.cents,
    durationDays: offer.days,
    createdAt: clock.now(),
  }
}

/** An address in the pool of the cluster, by its last part. */
async function addressOf(tx: Db, clusterId: number, last: number): Promise<string | null> {
  const [pool] = await poolsOf(tx, [clusterId])
  const first = pool?.ranges[0]?.first
  return first ? first.replace(/\d+$/, String(last)) : null
}

async function addFresh(tx: Db, deps: StockDeps, clusterId: number, offer: (typeof FRESH)[number]) {
  const [template] = await tx
    .select()
    .from(templates)
    .where(and(eq(templates.clusterId, clusterId), eq(templates.name, offer.template)))
  if (!template) return
  const ipAddress = await addressOf(tx, clusterId, offer.last)
  await tx.insert(tokens).values({
    ...columnsOf(offer, deps),
    tokenType: 'ip_mac',
    status: 'available',
    ipAddress,
    nodeId: template.nodeId,
    templateId: template.id,
  })
  await settleAddresses(tx, { clusterId, now: deps.clock.now() }, [ipAddress])
}

async function addRunning(tx: Db, deps: StockDeps, clusterId: number): Promise<void> {
  const [vm] = await tx
    .select()
    .from(instances)
    .where(
      and(
        eq(instances.clusterId, clusterId),
        eq(instances.name, RUNNING.vm),
        eq(instances.status, 'running'),
      ),
    )
  if (!vm) return
  const [token] = await tx
    .insert(tokens)
    .values({
      ...columnsOf(RUNNING, deps),
      tokenType: 'ready',
      status: 'ready',
      nodeId: vm.nodeId,
      instanceId: vm.id,
      proxmoxVmId: vm.vmId,
    })
    .returning({ id: tokens.id })
  await tx.update(instances).set({ tokenId: token?.id }).where(eq(instances.id, vm.id))
}

import { and, eq, isNotNull, isNull, ne, or } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { shortfallOf } from '#shared/rules/instance/size-shortfall.ts'
import { firstUserOf } from '#shared/rules/instance/system-of-template.ts'
import { expiryOf } from '#shared/rules/token/token-expiry.ts'
import { settleVm } from '../../addresses/settle-addresses.ts'
import type { Db } from '../../db/database.ts'
import { nodes } from '../../db/schema/infrastructure.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { forgetHostKeys } from '../../host-keys/host-key-rows.ts'
import { vmOf } from '../../inventory/vm/instance-row.ts'
import { takeKeysOff } from '../../inventory/vm/server-keys.ts'
import { randomId, randomPassword } from '../../lib/random.ts'
import { fullPriceOf, moveOrder, type OrderRow } from '../../orders/orders.ts'
import { planDays } from '../../provisioning/package-change/plan-on-sale.ts'
import type { Deps } from '../../runtime/deps.ts'
import { openPassword, sealPassword } from '../../tokens/token-rows.ts'

export type Link = {
  assignedNodeId: number
  assignedVmId: number
  username?: string | undefined
  password?: string | undefined
  acceptSmaller?: boolean | undefined
}
type Instance = typeof instances.$inferSelect
type Login = { username: string; password: string }

/** The VM an admin names, which must exist on that node and have no owner. */
export async function findServer(db: Db, link: Link): Promise<Instance> {
  const [node] = await db.select().from(nodes).where(eq(nodes.id, link.assignedNodeId))
  if (!node) throw new AppError('INVALID_INPUT', 'Please select a node')
  const [vm] = await db
    .select()
    .from(instances)
    .where(and(eq(instances.clusterId, node.clusterId), eq(instances.vmId, link.assignedVmId)))
  if (!vm || vm.nodeId !== node.id || vm.missingSince !== null) {
    const sentence = `There is no VM ${link.assignedVmId} on ${node.name}. Sync to Proxmox if it is new.`
    throw new AppError('INVALID_INPUT', sentence)
  }
  if (vm.ownerId !== null || vm.tokenId !== null || (await isSpokenFor(db, vm))) throw taken(vm)
  return vm
}

/** True if a token sells it, or if a client has or had it through a token that is not over. */
async function isSpokenFor(db: Db, { id }: Instance): Promise<boolean> {
  const [token] = await db
    .select({ id: tokens.id })
    .from(tokens)
    .where(
      and(
        or(eq(tokens.instanceId, id), eq(tokens.assignedInstanceId, id)),
        or(ne(tokens.status, 'cancelled'), isNotNull(tokens.assignedInstanceId)),
      ),
    )
    .limit(1)
  return token !== undefined
}

/**
 * Reads the VM's identity: from here on a client has it, and another VM with its id must not match.
 */
export async function meet(vm: Instance, { db, hypervisors }: Pick<Deps, 'db' | 'hypervisors'>) {
  const { hypervisor } = hypervisors.of(vm.clusterId)
  const traits = await hypervisor.traits(await vmOf(db, vm))
  return { traits, vm: { ...vm, uuid: vm.uuid ?? traits.uuid ?? null } }
}

/** The client is shown the package's size: the VM has it, or an operator confirms a smaller one. */
export function checkSize(
  order: OrderRow,
  { vm, traits }: Awaited<ReturnType<typeof meet>>,
  { acceptSmaller = false }: Link,
): void {
  const { cores: cpu, memoryMb, diskBytes } = traits
  const memoryBytes = memoryMb === undefined ? undefined : memoryMb * 1024 ** 2
  const shortfall = shortfallOf(order.serverName ?? order.planName, { cpu, memoryBytes, diskBytes })
  if (shortfall === undefined || acceptSmaller) return
  const sentence = `VM ${vm.vmId} is smaller than what was sold: ${shortfall}. Make it larger, choose another, or give it anyway (acceptSmaller).`
  throw new AppError('INVALID_STATE', sentence)
}

const taken = ({ vmId }: Instance) =>
  new AppError('CONFLICT', `VM ${vmId} already has a token or an owner.`)

type LoginDeps = Pick<Deps, 'db' | 'hypervisors' | 'keyring' | 'random' | 'log'>

/** The client's login: the one the admin gives, else a new password if the guest accepts one. */
export async function loginFor(
  order: OrderRow,
  vm: Instance,
  link: Link,
  { db, hypervisors, keyring, random, log }: LoginDeps,
): Promise<Login> {
  const username = link.username || firstUserOf(order.osType ?? '')
  if (link.password) {
    const isKnown = (await passwordsBefore(db, vm, keyring)).includes(link.password)
    if (isKnown) throw new AppError('INVALID_INPUT', KNOWN)
    return { username, password: link.password }
  }
  const password = randomPassword(random)
  try {
    const { hypervisor } = hypervisors.of(vm.clusterId)
    await hypervisor.setGuestPassword(await vmOf(db, vm), { name: username, password })
    return { username, password }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    log.warn({ err: error, vmId: vm.vmId }, 'the guest did not take a new password')
    throw new AppError(
      'INVALID_STATE',
      'The guest does not take a new password. Please enter the username and password it has.',
      { cause: error },
    )
  }
}

const KNOWN =
  'An earlier client of this VM knows this password. Set a new one in the guest and enter that.'

async function passwordsBefore(db: Db, vm: Instance, keyring: Deps['keyring']) {
  const sold = and(eq(tokens.instanceId, vm.id), isNotNull(tokens.assignedAt))
  const rows = await db.select().from(tokens).where(sold)
  return rows.map((row) => openPassword(keyring, row))
}

/** Gives the VM to the client: creates a token whose term starts now, and delivers the order. */
export async function linkServer(
  tx: Db,
  order: OrderRow,
  { vm, login }: { vm: Instance; login: Login },
  { clock, random, keyring }: Pick<Deps, 'clock' | 'random' | 'keyring'>,
): Promise<OrderRow> {
  if (order.userId === null) {
    throw new AppError('INVALID_STATE', 'The client no longer exists. Cancel the order.')
  }
  // As in the assign step: if the clock is behind, the term counts from the order.
  const now = order.createdAt > clock.now() ? order.createdAt : clock.now()
  const tokenId = randomId(random)
  const durationDays = planDays(order.planName)
  const expiresAt = expiryOf({ assignedAt: now, durationDays }) ?? now
  const [token] = await tx
    .insert(tokens)
    .values({
      tokenId,
      name: order.serverName ?? order.planName,
      tokenType: 'ready',
      status: 'assigned',
      assignedUserId: order.userId,
      instanceId: vm.id,
      assignedInstanceId: vm.id,
      assignedAt: now,
      expiresAt,
      proxmoxVmId: vm.vmId,
      nodeId: vm.nodeId,
      ipAddress: vm.ipAddress,
      ipv6Address: vm.ipv6Address,
      osType: order.osType ?? '',
      username: login.username,
      password: sealPassword(keyring, tokenId, login.password),
      monthlyPriceCents: fullPriceOf(order),
      durationDays,
      createdAt: now,
    })
    .returning({ id: tokens.id })
  if (!token) throw new Error('the token was not stored')
  const [mine] = await tx
    .update(instances)
    .set({
      tokenId: token.id,
      ownerId: order.userId,
      uuid: vm.uuid,
      label: order.setup?.label ?? null,
      hostname: null,
      lastUpdated: now,
    })
    .where(
      and(
        eq(instances.id, vm.id),
        isNull(instances.tokenId),
        isNull(instances.ownerId),
        isNull(instances.missingSince),
      ),
    )
    .returning({ id: instances.id })
  if (!mine) throw taken(vm)
  // Of a former sale that was given up.
  await takeKeysOff(tx, vm.id)
  await forgetHostKeys(tx, vm.id)
  await settleVm(tx, vm, now)
  return await moveOrder(tx, order, {
    to: 'active',
    now,
    by: 'admin',
    values: {
      tokenId: token.id,
      assignedNodeId: vm.nodeId,
      assignedVmId: vm.vmId,
      nextBillingAt: expiresAt,
      failure: null,
      failureDetail: null,
    },
  })
}

import { and, eq, isNotNull, isNull } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { sizeFromName } from '#shared/rules/instance-size.ts'
import { firstUserOf } from '#shared/rules/system-of-template.ts'
import { expiryOf } from '#shared/rules/token-expiry.ts'
import type { Db } from '../../db/database.ts'
import { nodes } from '../../db/schema/infrastructure.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { moveOrder, type OrderRow } from '../../provisioning/orders.ts'
import { planDays } from '../../provisioning/package-server.ts'
import { vmOf } from '../../provisioning/provision-world.ts'
import { openPassword, sealPassword } from '../../provisioning/token-rows.ts'
import { randomId, randomPassword } from '../../random.ts'
import type { OrdersDeps } from './orders.service.ts'

export type Link = {
  assignedNodeId: number
  assignedVmId: number
  username?: string | undefined
  password?: string | undefined
}
type Instance = typeof instances.$inferSelect
type Login = { username: string; password: string }

/** The VM an admin names: there, on that node, and nobody's. */
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
  if (vm.ownerId !== null || vm.tokenId !== null) throw taken(vm)
  return vm
}

/** The client is shown the size of the package: the VM must have it. */
export async function checkSize(order: OrderRow, vm: Instance, deps: OrdersDeps): Promise<void> {
  const { hypervisor } = deps.hypervisors.of(vm.clusterId)
  const { cores, memoryMb, diskBytes } = await hypervisor.traits(await vmOf(deps.db, vm))
  const wanted = sizeFromName(order.serverName ?? order.planName)
  const lacks = [
    cores !== undefined && cores < wanted.cpu && `${cores} of ${wanted.cpu} CPU`,
    memoryMb !== undefined &&
      memoryMb < wanted.ramGb * 1024 &&
      `${Math.round(memoryMb / 102.4) / 10} of ${wanted.ramGb} GB RAM`,
    diskBytes !== undefined &&
      diskBytes < wanted.diskGb * 2 ** 30 &&
      `${Math.round(diskBytes / 2 ** 30)} of ${wanted.diskGb} GB disk`,
  ].filter((lack) => lack !== false)
  if (lacks.length === 0) return
  const sentence = `VM ${vm.vmId} is smaller than what was ordered: ${lacks.join(', ')}. Make it larger, or choose another.`
  throw new AppError('INVALID_STATE', sentence)
}

const taken = ({ vmId }: Instance) =>
  new AppError('CONFLICT', `VM ${vmId} already has a token or an owner.`)

/** What the client signs in with: as the admin says, else a new password where the guest takes one. */
export async function loginFor(
  order: OrderRow,
  vm: Instance,
  link: Link,
  { db, hypervisors, keyring, random, log }: OrdersDeps,
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

async function passwordsBefore(db: Db, vm: Instance, keyring: OrdersDeps['keyring']) {
  const sold = and(eq(tokens.instanceId, vm.id), isNotNull(tokens.assignedAt))
  const rows = await db.select().from(tokens).where(sold)
  return rows.map((row) => openPassword(keyring, row))
}

/** Gives the VM to the client: a token of its own that counts from now, and the order is delivered. */
export async function linkServer(
  tx: Db,
  order: OrderRow,
  { vm, login }: { vm: Instance; login: Login },
  { clock, random, keyring }: OrdersDeps,
): Promise<OrderRow> {
  if (order.userId === null) {
    throw new AppError('INVALID_STATE', 'The client no longer exists. Cancel the order.')
  }
  const now = clock.now()
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
      osType: order.osType ?? '',
      username: login.username,
      password: sealPassword(keyring, tokenId, login.password),
      monthlyPriceCents: order.amountCents,
      durationDays,
      createdAt: now,
    })
    .returning({ id: tokens.id })
  if (!token) throw new Error('the token was not stored')
  const [mine] = await tx
    .update(instances)
    .set({ tokenId: token.id, ownerId: order.userId, lastUpdated: now })
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

import { createHash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { sizeFromName } from '#shared/rules/instance/instance-size.ts'
import { withPrefix } from '#shared/rules/network/cidr.ts'
import { poolOf } from '#shared/rules/network/pool.ts'
import { linkOf } from '#shared/rules/network/routed-prefix.ts'
import { tokens } from '../../db/schema/stock.ts'
import { openMailByPackage } from '../../firewalls/package-mail.ts'
import { setFirewall } from '../../firewalls/server-firewall.ts'
import type { GuestNetwork, VmAddress } from '../../hypervisor/port/hypervisor.ts'
import { type InstanceRow, vmOf } from '../../inventory/vm/instance-row.ts'
import { keysOn } from '../../inventory/vm/server-keys.ts'
import { vmName } from '../../inventory/vm/vm-name.ts'
import { describeFailure, type Step } from '../../jobs/job-definition.ts'
import { randomPassword } from '../../lib/random.ts'
import { setupOfOrder } from '../../orders/server-setup.ts'
import { openUserData } from '../../orders/user-data.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { storePassword } from '../../tokens/fresh-password.ts'
import { openPassword } from '../../tokens/token-rows.ts'
import { keepRate } from '../../traffic/server-rate.ts'
import type { Started } from '../proof/firmware-step.ts'
import { waitForAnswer } from '../proof/wait-for-answer.ts'
import type { SeedSource } from '../seed/seed-steps.ts'
import {
  loadProvisionState,
  type ProvisionContext,
  type ProvisionDeps,
  type ProvisionInput,
  type ProvisionState,
  requireInstance,
} from './provision-state.ts'
import { expectAnswer } from './silence.ts'

/** The VM of the job, unless it is sold as it is. */
export async function targetOf({ db, hypervisors }: JobDeps, { input }: ProvisionContext) {
  const state = await loadProvisionState(db, input.tokenId)
  const instance = requireInstance(state)
  const { hypervisor } = hypervisors.of(instance.clusterId)
  return { state, instance, hypervisor, vm: await vmOf(db, instance) }
}

/** Sets name, size, network card, first user and address; idempotent. */
export function configureStep(deps: JobDeps): Step<ProvisionInput> {
  const run = async (context: ProvisionContext) => {
    const { state, instance, hypervisor, vm } = await targetOf(deps, context)
    const { token, isReady } = state
    if (isReady || instance.marker === null) return { skipped: true }
    const { cpu, ramGb } = sizeFromName(token.name)
    await hypervisor.prepare(vm, {
      ...(await identityOf(deps, state, { ...instance, marker: instance.marker })),
      cores: cpu,
      memoryMb: ramGb * 1024,
      tags: ['hushbox'],
      startsWithNode: true,
    })
    return { mac: macOf(state, instance.marker) }
  }
  return { name: 'configure', run }
}

/** Its name, its address and its login. */
const identityOf = async (
  deps: JobDeps,
  state: ProvisionState,
  instance: InstanceRow & { marker: string },
) => ({
  name: vmName(instance),
  marker: instance.marker,
  network: guestNetwork(state, instance.marker),
  user: { name: state.token.username, ...(await waysIn(deps, state, instance.id)) },
})

/** The client's user data, from the order. A server that runs already takes none. */
export function seedSource(deps: JobDeps): SeedSource<ProvisionInput> {
  const { db, keyring } = deps
  return {
    userData: async ({ input }) => {
      const sealed = (await setupOfOrder(db, input.orderId))?.userData
      return sealed && openUserData(keyring, sealed)
    },
    target: (context) => targetOf(deps, context),
    setup: async (context) => {
      const { state, instance } = await targetOf(deps, context)
      const { marker } = instance
      if (marker === null) throw new AppError('CONFLICT', 'The record of the VM has no marker.')
      return await identityOf(deps, state, { ...instance, marker })
    },
  }
}

/** Keys, else a password: a server with keys has no password anywhere. */
async function waysIn({ db, keyring }: JobDeps, { token }: ProvisionState, instanceId: number) {
  const keys = await keysOn(db, instanceId)
  return keys.length > 0 ? { sshKeys: keys } : { password: openPassword(keyring, token) }
}

/** Of ours: a VM that ran before us may have one that we do not know. */
export const hasAddress = ({ ipAddress, ipv6Address }: ProvisionState['token']): boolean =>
  ipAddress !== null || ipv6Address !== null

/** An address alone is not enough: gateway and DNS come from its pool (P8). */
export function guestNetwork(
  state: Pick<ProvisionState, 'token' | 'pools'>,
  marker: string,
): GuestNetwork {
  const { token } = state
  const [first, ...others] = [token.ipAddress, token.ipv6Address]
    .filter((address) => address !== null)
    .map((address) => ({ address, pool: poolFor(address, state.pools) }))
  if (!first) throw new AppError('INVALID_STATE', 'The server has no address.')
  const placed = [first, ...others]
  return {
    mac: macOf(state, marker),
    bridge: first.pool.bridge,
    vlan: first.pool.vlan ?? undefined,
    addresses: placed.map(({ address, pool }) => ({
      address: withPrefix(address, linkOf(pool)),
      gateway: pool.gateway,
    })),
    nameservers: [...new Set(placed.flatMap(({ pool }) => pool.nameservers))],
    searchDomain: first.pool.searchDomain,
  }
}

function poolFor(address: string, pools: ProvisionState['pools']) {
  const pool = poolOf(pools, address)
  if (pool && address !== pool.gateway) return pool
  throw new AppError('INVALID_STATE', 'The address lies in no pool of the cluster.')
}

/**
 * Derives the auto-assigned MAC from the marker, so that a repeated step gives the same one.
 * Locally administered and unicast; with 40 bits a collision is unlikely enough (T11).
 */
export function macOf({ token }: Pick<ProvisionState, 'token'>, marker: string): string {
  if (token.macAddress !== null) return token.macAddress
  const bytes = createHash('sha256').update(marker).digest().subarray(0, 5)
  return ['02', ...[...bytes].map((byte) => byte.toString(16).padStart(2, '0'))]
    .join(':')
    .toUpperCase()
}

export function resizeStep(deps: JobDeps): Step<ProvisionInput> {
  const run = async (context: ProvisionContext) => {
    const { state, hypervisor, vm } = await targetOf(deps, context)
    if (state.isReady) return { skipped: true }
    const { diskGb } = sizeFromName(state.token.name)
    await hypervisor.resize(vm, diskGb)
    return { diskGb }
  }
  return { name: 'resize', run }
}

/** Before it starts for the first time: a forged packet must not have had a moment to leave. */
export function firewallStep(deps: JobDeps): Step<ProvisionInput> {
  const run = async (context: ProvisionContext) => {
    const { state, instance } = await targetOf(deps, context)
    if (state.isReady) return { skipped: true }
    const { orderId } = context.input
    await openMailByPackage(deps.db, { instanceId: instance.id, orderId })
    return { faults: await setFirewall(deps, instance.id) }
  }
  return { name: 'firewall', run }
}

/** A fresh card, which may have the limit of its template. */
export function rateStep(deps: JobDeps): Step<ProvisionInput> {
  const run = async (context: ProvisionContext) => {
    const { state, instance } = await targetOf(deps, context)
    if (state.isReady) return { skipped: true }
    return await keepRate(deps, instance.id, { isNew: true })
  }
  return { name: 'rate', run }
}

export function startStep(deps: ProvisionDeps): Step<ProvisionInput, Started & { node: string }> {
  const run = async (context: ProvisionContext) => {
    const { jobId, input } = context
    const { hypervisor, vm } = await targetOf(deps, context)
    const { node } = await hypervisor.power(vm, 'start')
    await expectAnswer(deps, { jobId, orderId: input.orderId })
    return { node, at: deps.clock.now().toISOString() }
  }
  return { name: 'start', run }
}

/** The addresses that a ready VM reported; empty if it has no agent. */
export type Waited = { addresses: string[] }

/** Waits for the agent of a ready VM, and sets a new password for its buyer (P5). */
export function waitStep(deps: JobDeps): Step<ProvisionInput, Waited> {
  const run = async (context: ProvisionContext): Promise<Waited> => {
    const { state, hypervisor, vm } = await targetOf(deps, context)
    if (!state.isReady) return { addresses: [] }
    const { progress } = context
    const ask = () => hypervisor.guestAddresses(vm, { asksAgain: true })
    const addresses = await waitForAnswer(ask, { progress, log: deps.log })
    await renewPassword(deps, state, vm)
    return { addresses }
  }
  return { name: 'wait', run }
}

/**
 * The operator who set the VM up knows its password, so it is never handed over unchanged. If the
 * guest does not accept another one the sale stops: the order stays paid, and the token is not sold
 * again until an operator has looked at it.
 */
async function renewPassword(deps: JobDeps, { token, cluster }: ProvisionState, vm: VmAddress) {
  const { db, hypervisors, keyring, random, log } = deps
  const password = randomPassword(random)
  try {
    const { hypervisor } = hypervisors.of(cluster.id)
    await hypervisor.setGuestPassword(vm, { name: token.username, password })
  } catch (error) {
    if (describeFailure(error).retry === 'later' || !(error instanceof AppError)) throw error
    log.warn({ err: error, vmId: vm.vmId }, 'the guest did not take a new password')
    const blocked = `VM ${vm.vmId} took no new password: ${error.message} ${REMEDY}`
    await db.update(tokens).set({ blocked }).where(eq(tokens.id, token.id))
    throw new AppError('INVALID_STATE', UNSAFE, { cause: error, publicMessage: UNSAFE })
  }
  await storePassword(db, token, password, keyring)
}

/** Also shown to the buyer. */
const UNSAFE =
  'The server did not accept a new password, so it was not handed over. The operator will finish this by hand; the payment is safe.'
const REMEDY =
  'Install or start the guest agent and edit the token to sell it again, or delete the token and provision the order with this VM and a password you set in it.'

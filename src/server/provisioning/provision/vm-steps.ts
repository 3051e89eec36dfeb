import { and, eq, isNotNull, ne } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { NOBODY } from '../../accounts/delete-account.ts'
import { settleVm } from '../../addresses/settle-addresses.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import type { CloneOrder } from '../../hypervisor/port/hypervisor.ts'
import { OF_NOBODY } from '../../inventory/views/suspended.ts'
import type { InstanceRow } from '../../inventory/vm/instance-row.ts'
import { nodeIdOf, vmOf } from '../../inventory/vm/instance-row.ts'
import { takeKeysOff } from '../../inventory/vm/server-keys.ts'
import { rememberVmId } from '../../inventory/vm/vm-ids.ts'
import { vmName } from '../../inventory/vm/vm-name.ts'
import type { Step } from '../../jobs/job-definition.ts'
import { setupOfOrder } from '../../orders/server-setup.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import {
  archivedVmIds,
  isUnusedVmId,
  reservedFor,
  reserveVmId,
  takeAnotherVmId,
} from '../allocation/vm-ids.ts'
import { inTurn } from './copy-turn.ts'
import {
  loadProvisionState,
  type ProvisionContext,
  type ProvisionInput,
  type ProvisionState,
  requireInstance,
  templateOf,
} from './provision-state.ts'

const OTHER_IDS = 20

/** Reserves a VM id in our own table that the cluster confirms to be free. */
export function vmIdStep(deps: JobDeps): Step<ProvisionInput> {
  const { db, clock, hypervisors } = deps

  const run = async ({ input }: ProvisionContext) => {
    // Deleted since the claim: a retry would not bring the account back.
    if (input.userId === NOBODY) throw new AppError('NOT_FOUND', 'The client no longer exists.')
    const state = await loadProvisionState(db, input.tokenId)
    if (state.isReady) return readyVm(state, input.userId)
    const { cluster, token } = state
    const { hypervisor } = hypervisors.of(cluster.id)
    const setup = await setupOfOrder(db, input.orderId)
    let row = await db.transaction((tx) => {
      const { name, userId: ownerId } = input
      const wanted = { token, cluster, name, ownerId, setup, now: clock.now() }
      return reserveVmId(tx, wanted, hypervisors)
    })
    for (let tries = 1; !(await isUnusedVmId(hypervisor, row.vmId)); tries += 1) {
      if (tries > OTHER_IDS) throw new AppError('CONFLICT', 'No free VM id was found.')
      const taken = row
      const another = { cluster, archived: await archivedVmIds(hypervisor) }
      row = await db.transaction((tx) => takeAnotherVmId(tx, taken, another, hypervisors))
    }
    return { instanceId: row.id, vmId: row.vmId }
  }

  /**
   * Deletes the record once the VM is gone. If the job was given up, the VM may still exist: the
   * record stays with its id and address, but with nothing of its client, until the cluster reports
   * it gone.
   */
  const undo = async ({ input, isGivenUp }: ProvisionContext) => {
    const isReserved = and(
      eq(instances.tokenId, input.tokenId),
      eq(instances.status, 'creating'),
      isNotNull(instances.marker),
    )
    const now = clock.now()
    const givenUp = { ...OF_NOBODY, status: 'unknown', lastUpdated: now }
    await db.transaction(async (tx) => {
      const rows = isGivenUp
        ? await tx.update(instances).set(givenUp).where(isReserved).returning()
        : await tx.delete(instances).where(isReserved).returning()
      for (const row of rows) {
        await takeKeysOff(tx, row.id)
        await settleVm(tx, row, now)
      }
    })
  }

  return { name: 'vm-id', run, undo }
}

function readyVm(state: ProvisionState, userId: number) {
  const instance = requireInstance(state)
  if (instance.missingSince !== null) throw new AppError('VM_MISSING', 'The VM no longer exists.')
  if (instance.ownerId !== null && instance.ownerId !== userId) {
    throw new AppError('CONFLICT', 'The VM belongs to somebody else.')
  }
  return { instanceId: instance.id, vmId: instance.vmId }
}

/** The MAC address of a VM that was ready; else the VM that was created. */
export type Cloned =
  | { skipped: true; mac: string | null }
  | { vmId: number; uuid: string | null; mac?: undefined }

/** Creates one VM, however often this runs: the marker shows whether it exists (P3). */
export function cloneStep(deps: JobDeps): Step<ProvisionInput, Cloned> {
  const { db, clock, hypervisors, log } = deps

  const cloneOnce = async (
    state: ProvisionState,
    context: ProvisionContext,
  ): Promise<InstanceRow> => {
    const row = requireInstance(state)
    const { hypervisor } = hypervisors.of(state.cluster.id)
    const { clusterId, vmId } = row
    await rememberVmId(db, { clusterId, vmId, now: clock.now() })
    const made = await hypervisor.clone(await cloneOrder(deps, state, row), {
      onProgress: (fraction) => {
        context.progress(fraction).catch((error: unknown) => log.debug({ err: error }, 'progress'))
      },
    })
    const nodeId = await nodeIdOf(db, state.cluster.id, made.node)
    const [stored] = await db
      .update(instances)
      .set({ uuid: made.uuid ?? null, nodeId })
      .where(eq(instances.id, row.id))
      .returning()
    if (!stored) throw new AppError('VM_MISSING', 'The record of the VM no longer exists.')
    return stored
  }

  const run = async (context: ProvisionContext): Promise<Cloned> => {
    const { tokenId } = context.input
    for (let tries = 1; ; tries += 1) {
      const state = await loadProvisionState(db, tokenId)
      if (state.isReady) return { skipped: true, mac: await macOfReady(deps, state) }
      try {
        const row = await inTurn(deps, state, context.jobId, () => cloneOnce(state, context))
        return { vmId: row.vmId, uuid: row.uuid }
      } catch (error) {
        if (!isConflict(error) || tries > OTHER_IDS) throw error
        // Another VM took this id after the check, or left archives: we take another id.
        const { cluster } = state
        const archived = await archivedVmIds(hypervisors.of(cluster.id).hypervisor)
        const another = { cluster, archived }
        await db.transaction((tx) =>
          takeAnotherVmId(tx, requireInstance(state), another, hypervisors),
        )
      }
    }
  }

  /**
   * Destroys only a VM that is ours by record, id and marker, and not yet a client's server (P4).
   */
  const undo = async ({ input }: ProvisionContext) => {
    const row = await reservedFor(db, input.tokenId)
    if (!row || row.marker === null) return
    const { hypervisor } = hypervisors.of(row.clusterId)
    const { vmId, node } = await vmOf(db, row)
    try {
      const { marker, uuid } = row
      await hypervisor.destroy({ vmId, node, marker, uuid: uuid ?? undefined })
    } catch (error) {
      // The VM with this id is another one: ours does not exist, and the other one is left alone.
      if (!(error instanceof AppError && error.code === 'VM_MISSING')) throw error
      log.warn({ vmId }, 'the VM to be removed is not ours, and was left alone')
    }
  }

  return { name: 'clone', run, undo }
}

/** A VM that existed before us has its own network card: the client sees that MAC (T11). */
async function macOfReady(
  { db, hypervisors }: JobDeps,
  state: ProvisionState,
): Promise<string | null> {
  const instance = requireInstance(state)
  const { hypervisor } = hypervisors.of(instance.clusterId)
  const { mac, uuid } = await hypervisor.traits(await vmOf(db, instance))
  // From here on a client has this VM: another VM with its id must not match.
  if (uuid !== undefined && instance.uuid === null) {
    await db.update(instances).set({ uuid }).where(eq(instances.id, instance.id))
  }
  if (mac === undefined) return null
  const [other] = await db
    .select({ id: tokens.id })
    .from(tokens)
    .where(
      and(
        eq(tokens.macAddress, mac),
        ne(tokens.id, state.token.id),
        ne(tokens.status, 'cancelled'),
      ),
    )
  return other ? null : mac
}

const isConflict = (error: unknown) => error instanceof AppError && error.code === 'CONFLICT'

async function cloneOrder(
  { db }: JobDeps,
  state: ProvisionState,
  row: InstanceRow,
): Promise<CloneOrder> {
  const { settings, node } = state
  const from = await templateOf(db, state)
  const isFull = settings.cloneMode === 'full'
  if (row.marker === null) throw new AppError('CONFLICT', 'The record of the VM has no marker.')
  return {
    template: { vmId: from.template.templateId, node: from.node.name },
    vmId: row.vmId,
    marker: row.marker,
    name: vmName(row),
    isFull,
    storage: isFull ? (settings.storage ?? undefined) : undefined,
    pool: settings.pool ?? undefined,
    targetNode: from.node.id === node.id ? undefined : node.name,
  }
}

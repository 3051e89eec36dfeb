import { eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import type { Hypervisor, VmAddress } from '../../hypervisor/port/hypervisor.ts'
import { type InstanceRow, vmOf } from '../../inventory/vm/instance-row.ts'
import type { StepContext } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import type { TokenRow } from '../../tokens/token-rows.ts'
import { isMissing, mustBeOff } from '../lifecycle/switch-vm.ts'

/** The input of a job that holds a server by its status. */
export type HoldInput = {
  instanceId: number
  tokenId: number
  /** Tells the claim of this job from that of a later one: the instance's row has it. */
  since: string
}

/** A server that a job holds. */
export type Held = { instance: InstanceRow & { marker: string }; token: TokenRow }
export type Target = Held & { hypervisor: Hypervisor; vm: VmAddress }

type HoldRules = {
  status: string
  /** What is said to a job that lost the server. */
  over: string
  /** True if the work is done also on a server that ended or is suspended. */
  mayBeOff?: boolean
}

/**
 * Access to a server for the one job that holds it. The server's status says so; every other job and
 * request leaves a server with that status alone.
 */
export function holdBy({ status, over, mayBeOff = false }: HoldRules) {
  const ifHeld = ({ since }: HoldInput, found: Held | undefined): Held | undefined => {
    const isOurs = found?.instance.lastUpdated?.toISOString() === since
    return found?.instance.status === status && isOurs ? found : undefined
  }

  /** Undefined once the job has ended, or lost the server: it is being removed, or was. */
  const heldBy = async (db: Db, input: HoldInput): Promise<Held | undefined> =>
    ifHeld(input, await readRows(db, input))

  const lockHeld = async (tx: Db, input: HoldInput): Promise<Held | undefined> =>
    ifHeld(input, await lockRows(tx, input))

  const requireWanted = (held: Held | undefined): Held => {
    if (!held) throw refused(over)
    if (mayBeOff) return held
    if (held.instance.suspendedAt !== null) throw refused('The server was suspended meanwhile.')
    if (mustBeOff(held)) throw refused('The time of the server ended meanwhile.')
    return held
  }

  return {
    heldBy,
    lockHeld,
    requireWanted,

    /** What a step works with. Fails if the server was taken from the job, or must be off. */
    targetOf: async (deps: JobDeps, input: HoldInput): Promise<Target> =>
      await reach(deps, requireWanted(await heldBy(deps.db, input))),

    /** The same for a job that does not hold it yet, and only looks. */
    wantedBy: async (deps: JobDeps, input: HoldInput): Promise<Target> =>
      await reach(deps, requireWanted(await readRows(deps.db, input))),

    /** The server of a job that is about to hold it; what else is being done with it is not asked. */
    lockWanted: async (tx: Db, input: HoldInput): Promise<Held> =>
      requireWanted(await lockRows(tx, input)),

    /** Undoes a step, unless the job no longer has the server or the cluster no longer has the VM. */
    undoOn: async (
      deps: JobDeps,
      { input }: Pick<StepContext<HoldInput>, 'input'>,
      work: (target: Target) => Promise<unknown>,
    ): Promise<void> => {
      const held = await heldBy(deps.db, input)
      if (!held) return
      try {
        await work(await reach(deps, held))
      } catch (error) {
        if (!isMissing(error)) throw error
      }
    },
  }
}

function found(token: TokenRow | undefined, instance: InstanceRow | undefined): Held | undefined {
  if (!token || !instance || instance.marker === null) return undefined
  return { token, instance: { ...instance, marker: instance.marker } }
}

async function readRows(db: Db, input: HoldInput): Promise<Held | undefined> {
  const [token] = await db.select().from(tokens).where(eq(tokens.id, input.tokenId))
  const [instance] = await db.select().from(instances).where(eq(instances.id, input.instanceId))
  return found(token, instance)
}

/** The same under the locks of both rows, in the order in which every other transaction locks. */
async function lockRows(tx: Db, input: HoldInput): Promise<Held | undefined> {
  const isToken = eq(tokens.id, input.tokenId)
  const isInstance = eq(instances.id, input.instanceId)
  const [token] = await tx.select().from(tokens).where(isToken).for('update')
  const [instance] = await tx.select().from(instances).where(isInstance).for('update')
  return found(token, instance)
}

export type Hold = ReturnType<typeof holdBy>

const refused = (why: string) => new AppError('INVALID_STATE', why, { publicMessage: why })

const reach = async ({ db, hypervisors }: JobDeps, held: Held): Promise<Target> => ({
  ...held,
  hypervisor: hypervisors.of(held.instance.clusterId).hypervisor,
  vm: await vmOf(db, held.instance),
})

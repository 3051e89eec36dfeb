import { and, eq } from 'drizzle-orm'
import { z } from 'zod'
import { AppError } from '#shared/errors.ts'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../db/database.ts'
import { orders, payments } from '../../db/schema/sales.ts'
import { serverEnds } from '../../db/schema/service-time.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { NOT_SUSPENDED } from '../../inventory/views/suspended.ts'
import { isHeld, isHeldByJob } from '../../inventory/vm/acts-under-way.ts'
import type { InstanceRow } from '../../inventory/vm/instance-row.ts'
import { instanceById, vmOf } from '../../inventory/vm/instance-row.ts'
import { defineJob, type StepContext } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { moveTokens } from '../../tokens/move-token.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import type { TokenRow } from '../../tokens/token-rows.ts'
import { isGraceOver } from './server-ends.ts'
import { witnessedIn } from './witness.ts'

export type LifecycleDeps = JobDeps & { config: Pick<Config, 'graceDays'> }

const LifecycleInput = z.object({
  tokenId: z.number().int(),
  name: z.string(),
  /** The end this is about: a renewal makes it another one. */
  since: z.string().optional(),
})
type Context = StepContext<z.output<typeof LifecycleInput>>

async function tokenById(db: Db, id: number): Promise<TokenRow | undefined> {
  const [row] = await db.select().from(tokens).where(eq(tokens.id, id))
  return row
}

const isMissing = (error: unknown) => error instanceof AppError && error.code === 'VM_MISSING'

/** A server that ended or is suspended is off; any other may run. */
const mustBeOff = ({ token, instance }: Pick<Found, 'token' | 'instance'>): boolean =>
  token.status === 'expired' || token.status === 'cancelled' || instance.suspendedAt !== null

/** Switches the VM of a token that ended, or is suspended, off; keeps it. Renewed meanwhile: does nothing. */
export const stopJob = (deps: JobDeps) =>
  defineJob({
    kind: 'stop',
    input: LifecycleInput,
    title: ({ name }) => `Stop ${name}`,
    steps: [
      {
        name: 'stop',
        async run({ input }: Context) {
          const found = await vmOfToken(deps, input.tokenId)
          if (!found || !mustBeOff(found)) return
          waitForOthers(deps, found.instance)
          try {
            await switchOff(found)
          } catch (error) {
            if (!isMissing(error)) throw error
          }
          // Renewed or resumed while it was being switched off.
          const later = await vmOfToken(deps, input.tokenId)
          if (later?.token.status === 'assigned' && !mustBeOff(later)) await switchOn(later)
        },
      },
    ],
  })

/** A server that was renewed after it had ended runs again. */
export const startJob = (deps: JobDeps) =>
  defineJob({
    kind: 'start',
    input: LifecycleInput,
    title: ({ name }) => `Start ${name}`,
    steps: [
      {
        name: 'start',
        async run({ input }: Context) {
          const found = await vmOfToken(deps, input.tokenId)
          if (found?.token.status !== 'assigned' || mustBeOff(found)) return
          await switchOn(found)
          // Ended or suspended while it was being switched on.
          const later = await vmOfToken(deps, input.tokenId)
          if (later && mustBeOff(later)) await switchOff(later)
        },
      },
    ],
  })

async function switchOn({ hypervisor, vm, instance }: Found): Promise<void> {
  if (instance.marker !== null) await hypervisor.setConfig(vm, { onboot: true })
  await hypervisor.power(vm, 'start')
}

/** A start that is under way would outlast the stop: the job comes back when it is over. */
function waitForOthers({ clock }: JobDeps, instance: InstanceRow): void {
  const isBusy = !isHeldByJob(instance.status) && isHeld(instance, clock.now())
  if (isBusy) {
    throw new AppError('LOCKED', 'Another action is still running on this instance.', {
      retryAfter: 5,
    })
  }
}

/** Also for the next start of its node: else a server that ended would come back by itself. */
async function switchOff({ hypervisor, vm, instance }: Found): Promise<void> {
  if (instance.marker !== null) await hypervisor.setConfig(vm, { onboot: false })
  try {
    await hypervisor.power(vm, 'shutdown')
  } catch (error) {
    // A guest that does not listen is switched off.
    if (!(error instanceof AppError) || error.code !== 'INVALID_STATE') throw error
    await hypervisor.power(vm, 'stop')
  }
}

type Found = NonNullable<Awaited<ReturnType<typeof vmOfToken>>>

async function vmOfToken({ db, hypervisors }: JobDeps, tokenId: number) {
  const token = await tokenById(db, tokenId)
  const instance = token && (await instanceById(db, token.assignedInstanceId))
  if (!token || !instance) return undefined
  const { hypervisor } = hypervisors.of(instance.clusterId)
  return { token, instance, hypervisor, vm: await vmOf(db, instance) }
}

/** The end of a server after its grace. A VM that was there before us is only let go. */
export const endJob = (deps: LifecycleDeps) =>
  defineJob({
    kind: 'end',
    input: LifecycleInput,
    title: ({ name }) => `Remove ${name}`,
    steps: [
      {
        name: 'cancel',
        run: ({ input }: Context) => cancelForGood(deps, input.tokenId),
        /** The VM could not be destroyed: an admin sees it, and it is tried again later. */
        undo: ({ input }: Context) => markUnknown(deps, input.tokenId),
      },
      { name: 'destroy', run: (context: Context) => destroyOwn(deps, context) },
      { name: 'release', run: (context: Context) => release(deps, context) },
    ],
  })

type Decision = { proceed: boolean }

/** A renewal whose payment is on its way: the money is sent, so the server stays. */
async function isBeingPaid(tx: Db, tokenId: number): Promise<boolean> {
  const [row] = await tx
    .select({ id: orders.id })
    .from(orders)
    .innerJoin(payments, eq(payments.orderId, orders.id))
    .where(
      and(
        eq(orders.tokenId, tokenId),
        eq(orders.kind, 'renewal'),
        eq(orders.status, 'pending'),
        eq(payments.status, 'confirming'),
      ),
    )
    .limit(1)
  return row !== undefined
}

/** A sweep ordered it, and what the sweep went by still holds: a clock may have been set right. */
async function isToGo(tx: Db, token: TokenRow, now: Date, config: LifecycleDeps['config']) {
  const [end] = await tx.select().from(serverEnds).where(eq(serverEnds.tokenId, token.id))
  if (!end || end.orderedMs === null) return false
  return isGraceOver({ token, end }, { now, witnessed: await witnessedIn(tx) }, config)
}

/** Decided under a lock, right before the destroy: whoever renews first keeps the server (T6). */
function cancelForGood(deps: LifecycleDeps, tokenId: number): Promise<Decision> {
  const { db, clock, events, audit, config } = deps
  return db.transaction(async (tx) => {
    const [token] = await tx.select().from(tokens).where(eq(tokens.id, tokenId)).for('update')
    const now = clock.now()
    if (!token || !['expired', 'cancelled'].includes(token.status)) return { proceed: false }
    if (!(await isToGo(tx, token, now, config))) return { proceed: false }
    if (await isBeingPaid(tx, tokenId)) return { proceed: false }
    if (token.assignedInstanceId !== null) {
      await tx
        .update(instances)
        .set({ status: 'deleting', lastUpdated: now })
        .where(eq(instances.id, token.assignedInstanceId))
    }
    if (token.status === 'expired') {
      await moveTokens(tx, eq(tokens.id, tokenId), { to: 'cancelled', from: ['expired'], now })
      await publishTokenChange(tx, events, token.assignedUserId)
      await audit.record(tx, undefined, { action: 'token.end', target: `token:${tokenId}` })
    }
    return { proceed: true }
  })
}

async function markUnknown({ db, clock }: LifecycleDeps, tokenId: number): Promise<void> {
  const token = await tokenById(db, tokenId)
  const instance = token && (await instanceById(db, token.assignedInstanceId))
  if (instance?.status !== 'deleting') return
  await db
    .update(instances)
    .set({ status: 'unknown', lastUpdated: clock.now() })
    .where(eq(instances.id, instance.id))
}

/** What is to go, if the decision stands. */
async function instanceToDestroy(
  deps: LifecycleDeps,
  context: Context,
): Promise<InstanceRow | undefined> {
  if (!context.output<Decision>('cancel')?.proceed) return undefined
  const token = await tokenById(deps.db, context.input.tokenId)
  if (token?.status !== 'cancelled') return undefined
  return instanceById(deps.db, token.assignedInstanceId)
}

async function destroyOwn(deps: LifecycleDeps, context: Context) {
  const instance = await instanceToDestroy(deps, context)
  if (!instance) return
  const { hypervisor } = deps.hypervisors.of(instance.clusterId)
  const vm = await vmOf(deps.db, instance)
  try {
    const { marker, uuid } = instance
    if (marker === null) await stopIfRunning(hypervisor, vm)
    else await hypervisor.destroy({ ...vm, marker, uuid: uuid ?? undefined })
  } catch (error) {
    // The id belongs to another VM by now: ours is gone, theirs is left alone.
    if (!isMissing(error)) throw error
  }
}

/** Mostly it is off since its end; some clusters refuse to stop what does not run. */
async function stopIfRunning(hypervisor: Found['hypervisor'], vm: Found['vm']): Promise<void> {
  const { state } = await hypervisor.vm(vm)
  if (state !== 'stopped') await hypervisor.power(vm, 'stop')
}

async function release(deps: LifecycleDeps, context: Context): Promise<void> {
  const { db, events } = deps
  const instance = await instanceToDestroy(deps, context)
  if (!instance) return
  await db.transaction(async (tx) => {
    if (instance.marker !== null) await tx.delete(instances).where(eq(instances.id, instance.id))
    else {
      await tx
        .update(instances)
        .set({ ownerId: null, tokenId: null, status: 'stopped', ...NOT_SUSPENDED })
        .where(eq(instances.id, instance.id))
    }
    await tx
      .update(tokens)
      .set({ assignedInstanceId: null })
      .where(eq(tokens.id, context.input.tokenId))
    await publishTokenChange(tx, events, instance.ownerId)
  })
}

import { and, eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { AppError } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { jobSteps } from '../../db/schema/work.ts'
import type { Hypervisor, VmAddress } from '../../hypervisor/port/hypervisor.ts'
import { REINSTALLING } from '../../inventory/vm/acts-under-way.ts'
import { type InstanceRow, vmOf } from '../../inventory/vm/instance-row.ts'
import type { StepContext } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import type { TokenRow } from '../../tokens/token-rows.ts'
import { isMissing, mustBeOff } from '../lifecycle/switch-vm.ts'

export const ReinstallInput = z.object({
  instanceId: z.number().int(),
  tokenId: z.number().int(),
  /** The name it was sold by. */
  name: z.string(),
  osType: z.string(),
  /** Our row of the template. */
  templateId: z.number().int(),
  sshKeyIds: z.array(z.number().int()),
  /** Tells the claim of this job from that of a later one: the instance's row has it. */
  since: z.string(),
})
export type ReinstallInput = z.output<typeof ReinstallInput>
export type ReinstallContext = StepContext<ReinstallInput>

/** A server that this job holds. */
export type Held = { instance: InstanceRow & { marker: string }; token: TokenRow }
export type Target = Held & { hypervisor: Hypervisor; vm: VmAddress }

/** Undefined once the job has ended, or lost the server: it is being removed, or was. */
export async function heldBy(db: Db, input: ReinstallInput): Promise<Held | undefined> {
  const [token] = await db.select().from(tokens).where(eq(tokens.id, input.tokenId))
  const [instance] = await db.select().from(instances).where(eq(instances.id, input.instanceId))
  return heldRows(input, token, instance)
}

/** The same under the locks of both rows, in the order in which every other transaction locks. */
export async function lockHeld(tx: Db, input: ReinstallInput): Promise<Held | undefined> {
  const isToken = eq(tokens.id, input.tokenId)
  const isInstance = eq(instances.id, input.instanceId)
  const [token] = await tx.select().from(tokens).where(isToken).for('update')
  const [instance] = await tx.select().from(instances).where(isInstance).for('update')
  return heldRows(input, token, instance)
}

function heldRows(
  { since }: ReinstallInput,
  token: TokenRow | undefined,
  instance: InstanceRow | undefined,
): Held | undefined {
  if (!token || !instance || instance.marker === null) return undefined
  const isOurs = instance.lastUpdated?.toISOString() === since
  if (instance.status !== REINSTALLING || !isOurs) return undefined
  return { token, instance: { ...instance, marker: instance.marker } }
}

/** What a step works with. Fails if the server was taken from the job, or must be off. */
export async function targetOf(deps: JobDeps, input: ReinstallInput): Promise<Target> {
  return await reach(deps, requireWanted(await heldBy(deps.db, input)))
}

export function requireWanted(held: Held | undefined): Held {
  if (!held) throw refused('This reinstallation is over. Begin another one.')
  if (held.instance.suspendedAt !== null) throw refused('The server was suspended meanwhile.')
  if (mustBeOff(held)) throw refused('The time of the server ended meanwhile.')
  return held
}

const refused = (why: string) => new AppError('INVALID_STATE', why, { publicMessage: why })

/** Undoes a step, unless the job no longer has the server or the cluster no longer has the VM. */
export async function undoOn(
  deps: JobDeps,
  { input }: ReinstallContext,
  work: (target: Target) => Promise<unknown>,
): Promise<void> {
  const held = await heldBy(deps.db, input)
  if (!held) return
  try {
    await work(await reach(deps, held))
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

const reach = async ({ db, hypervisors }: JobDeps, held: Held): Promise<Target> => ({
  ...held,
  hypervisor: hypervisors.of(held.instance.clusterId).hypervisor,
  vm: await vmOf(db, held.instance),
})

/** How the new system is signed in to. */
export type NewLogin = {
  username: string
  sshKeys: string[]
  /** Sealed as in the token; null with keys. */
  password: string | null
}

/** The name of the step that stores it. */
export const REMEMBER = 'remember'

export type Remembered = {
  volume: string
  spare: string[]
  sizeGb: number
  /** Gone from here once it is the token's, or of no use. */
  login?: NewLogin
}

/** Undefined once it is forgotten: the job has ended, or its last transaction was stored. */
export async function storedLogin(tx: Db, jobId: string): Promise<NewLogin | undefined> {
  const isRemembered = and(eq(jobSteps.jobId, jobId), eq(jobSteps.step, REMEMBER))
  const [row] = await tx.select({ output: jobSteps.output }).from(jobSteps).where(isRemembered)
  return (row?.output as Remembered | undefined)?.login
}

export const forgetLogin = (tx: Db, jobId: string) =>
  tx
    .update(jobSteps)
    .set({ output: sql`${jobSteps.output} - 'login'` })
    .where(and(eq(jobSteps.jobId, jobId), eq(jobSteps.step, REMEMBER)))

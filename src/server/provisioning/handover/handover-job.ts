import { and, eq, isNull, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Db } from '../../db/database.ts'
import { handovers } from '../../db/schema/handovers.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { jobSteps, jobs } from '../../db/schema/work.ts'
import { lookAgain } from '../../host-keys/host-key-rows.ts'
import type { Hypervisor, VmAddress } from '../../hypervisor/port/hypervisor.ts'
import { type InstanceRow, vmOf } from '../../inventory/vm/instance-row.ts'
import { keysOn } from '../../inventory/vm/server-keys.ts'
import { vmName } from '../../inventory/vm/vm-name.ts'
import { defineJob, type Step, type StepContext } from '../../jobs/job-definition.ts'
import { randomPassword } from '../../lib/random.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { storePassword } from '../../tokens/fresh-password.ts'
import { markLoginSet } from '../../tokens/handover-rows.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { DELIVERED, openPassword, sealPassword, type TokenRow } from '../../tokens/token-rows.ts'
import { mustBeOff, shutDown, switchOff, waitForOthers } from '../lifecycle/switch-vm.ts'

export const HANDOVER = 'handover'

const HandoverInput = z.object({
  handoverId: z.number().int(),
  instanceId: z.number().int(),
  tokenId: z.number().int(),
  /** The name it was sold by. */
  name: z.string(),
  /** Set while this job has it off that was on: retried after giving up, it starts it again. */
  wasOn: z.boolean().optional(),
})
export type HandoverInput = z.output<typeof HandoverInput>
type Context = StepContext<HandoverInput>

type Seen = { isOn: boolean }
type Remembered = Seen & {
  /** Sealed as in the token. Null with keys, and once it is the token's. */
  password: string | null
}

/**
 * Replaces the login of a server that was handed over: in its cloud-init configuration, which the
 * guest reads when it starts. Its new owner sees the password once it is in force, not before.
 */
export function handoverJob(deps: JobDeps) {
  const remember = rememberStep(deps)
  const configure = configureStep(deps, remember)
  return defineJob({
    kind: HANDOVER,
    input: HandoverInput,
    title: ({ name }) => `Replace the login of ${name}`,
    subject: ({ instanceId }) => `instance:${instanceId}`,
    steps: [remember, configure, restartStep(deps, { remember, configure }), commitStep(deps)],
  })
}

export type HandoverJob = ReturnType<typeof handoverJob>

const REMEMBER = 'remember'

/** Stored before it is used: a repeated step sets the same password, and starts what was on. */
function rememberStep(deps: JobDeps): Step<HandoverInput, Remembered> {
  const { db, random, keyring } = deps
  const run = async ({ input }: Context): Promise<Remembered> => {
    const target = await targetOf(deps, input)
    if (!target) return { password: null, isOn: false }
    const { token } = target
    const hasKeys = (await keysOn(db, input.instanceId)).length > 0
    return {
      password: hasKeys ? null : sealPassword(keyring, token.tokenId, randomPassword(random)),
      isOn: await isOn(target),
    }
  }
  return { name: REMEMBER, run }
}

/**
 * Looks once more whether the server is on: started meanwhile, it runs with the former owner's
 * login. Stored, because a repeated restart finds it off.
 */
function configureStep(
  deps: JobDeps,
  remember: Step<HandoverInput, Remembered>,
): Step<HandoverInput, Seen> {
  const { db, keyring } = deps
  const run = async ({ input, output }: Context): Promise<Seen> => {
    const target = await targetOf(deps, input)
    if (!target) return { isOn: false }
    const { hypervisor, vm, token, instance } = target
    const password = output(remember)?.password ?? null
    const sshKeys = await keysOn(db, instance.id)
    await hypervisor.prepare(vm, {
      name: vmName(instance),
      marker: instance.marker,
      user: {
        name: token.username,
        ...(password === null
          ? { sshKeys }
          : { password: openPassword(keyring, { ...token, password }) }),
      },
    })
    // Waits for a start that began before.
    const later = await targetOf(deps, input)
    if (!later) return { isOn: false }
    return { isOn: input.wasOn === true || (await isOn(later)) }
  }
  return { name: 'configure', run }
}

/** Only a new start reads the new configuration. A server that is off reads it when it is started. */
function restartStep(
  deps: JobDeps,
  before: { remember: Step<HandoverInput, Remembered>; configure: Step<HandoverInput, Seen> },
): Step<HandoverInput> {
  const run = async ({ jobId, input, output }: Context) => {
    const target = await targetOf(deps, input)
    // An older process that configured it did not look.
    const seen = output(before.configure) ?? output(before.remember)
    if (!target || !seen?.isOn) return
    await noteWasOn(deps.db, jobId, true)
    await shutDown(target)
    const rested = await targetOf(deps, input)
    if (!rested || mustBeOff(rested)) return
    await rested.hypervisor.power(rested.vm, 'start')
    await noteWasOn(deps.db, jobId, false)
    // Its time may have ended during the start.
    const later = await targetOf(deps, input)
    if (later && mustBeOff(later)) await switchOff(later)
  }
  return { name: 'restart', run }
}

/** In the job's input: what its steps have stored is gone once it gives up. */
const noteWasOn = (db: Db, jobId: string, wasOn: boolean) =>
  db
    .update(jobs)
    .set({ input: sql`${jobs.input} || ${JSON.stringify({ wasOn })}::jsonb` })
    .where(eq(jobs.id, jobId))

/** From here on the login is shown to the new owner. */
function commitStep(deps: JobDeps): Step<HandoverInput> {
  const { db, clock, events, audit, keyring } = deps
  const run = ({ jobId, input }: Context) =>
    db.transaction(async (tx) => {
      const wanted = await wantedBy(tx, input, { isLocked: true })
      const password = await storedPassword(tx, jobId)
      await forgetPassword(tx, jobId)
      if (!wanted) return
      const { token, instance } = wanted
      const opened = password === null ? '' : openPassword(keyring, { ...token, password })
      await storePassword(tx, token, opened, keyring)
      await markLoginSet(tx, instance.id, clock.now())
      await lookAgain(tx, instance.id)
      await publishTokenChange(tx, events, instance.ownerId)
      const target = `instance:${instance.id}`
      await audit.record(tx, undefined, { action: 'instance.login-replaced', target })
    })
  return { name: 'commit', run }
}

type Wanted = { token: TokenRow; instance: InstanceRow & { marker: string } }
type Target = Wanted & { hypervisor: Hypervisor; vm: VmAddress }

/**
 * Undefined if there is nothing left to do: the server ended, or a reinstallation has given it
 * another login meanwhile.
 */
async function wantedBy(
  db: Db,
  { handoverId, tokenId, instanceId }: HandoverInput,
  { isLocked = false } = {},
): Promise<Wanted | undefined> {
  const ofToken = db.select().from(tokens).where(eq(tokens.id, tokenId))
  const [token] = await (isLocked ? ofToken.for('update') : ofToken)
  const ofInstance = db.select().from(instances).where(eq(instances.id, instanceId))
  const [instance] = await (isLocked ? ofInstance.for('update') : ofInstance)
  const isPending = and(eq(handovers.id, handoverId), isNull(handovers.loginSetAt))
  const [row] = await db.select({ id: handovers.id }).from(handovers).where(isPending)
  if (!row || !token || !instance || instance.marker === null) return undefined
  if (!DELIVERED.includes(token.status)) return undefined
  return { token, instance: { ...instance, marker: instance.marker } }
}

async function isOn({ hypervisor, vm }: Target): Promise<boolean> {
  const { state } = await hypervisor.vm(vm)
  return state !== 'stopped'
}

/** The same with its VM; waits for other actions on it. */
async function targetOf(deps: JobDeps, input: HandoverInput): Promise<Target | undefined> {
  const wanted = await wantedBy(deps.db, input)
  if (!wanted) return undefined
  const { instance } = wanted
  waitForOthers(deps, instance)
  const { hypervisor } = deps.hypervisors.of(instance.clusterId)
  return { ...wanted, hypervisor, vm: await vmOf(deps.db, instance) }
}

const isRemembered = (jobId: string) => and(eq(jobSteps.jobId, jobId), eq(jobSteps.step, REMEMBER))

async function storedPassword(tx: Db, jobId: string): Promise<string | null> {
  const rows = await tx
    .select({ output: jobSteps.output })
    .from(jobSteps)
    .where(isRemembered(jobId))
  return (rows[0]?.output as Remembered | undefined)?.password ?? null
}

const forgetPassword = (tx: Db, jobId: string) =>
  tx
    .update(jobSteps)
    .set({ output: sql`${jobSteps.output} || '{"password": null}'::jsonb` })
    .where(isRemembered(jobId))

import { and, eq, isNull } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { serverCds } from '../../db/schema/stock.ts'
import { defineJob, type Step } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { claimStep } from '../hold/claim-step.ts'
import { release } from '../hold/hold-server.ts'
import { mustBeOff, shutDown, switchOff } from '../lifecycle/switch-vm.ts'
import { cdOf, hold, type InsertContext, InsertInput, requireCd } from './cd-state.ts'
import { type FetchStep, fetchStep } from './fetch-step.ts'
import type { IsoProbe } from './iso-probe.ts'

const WORDS = {
  iso: 'The server could not be started from the CD.',
  rescue: 'The server could not be started in rescue.',
}

/**
 * Starts a server from a CD. What it boots from without it is stored before anything is changed, and
 * is what it boots from again if this is given up at any step.
 */
export function insertCdJob(deps: JobDeps, probeIso: IsoProbe) {
  const fetch = fetchStep(deps, probeIso)
  const remember = rememberStep(deps, fetch)
  return defineJob({
    kind: 'insert-cd',
    input: InsertInput,
    title: ({ kind, name }) => (kind === 'rescue' ? `Rescue of ${name}` : `CD for ${name}`),
    subject: ({ instanceId }) => `instance:${instanceId}`,
    steps: [
      claimStep<InsertInput>(deps, {
        hold,
        actions: { undone: 'instance.cd-undone', left: 'instance.cd-left' },
        details: () => ({}),
        words: { failed: WORDS.iso, back: 'It is as it was.' },
      }),
      fetch,
      remember,
      stopStep(deps, remember),
      putInStep(deps),
      startStep(deps),
      onceStep(deps),
      commitStep(deps),
    ],
  })
}

export type InsertCdJob = ReturnType<typeof insertCdJob>

type Remembered = { isOn: boolean }
type RememberStep = Step<InsertInput, Remembered>

/** Stores what the server boots from now, before anything is changed. */
function rememberStep(deps: JobDeps, fetch: FetchStep): RememberStep {
  const { db, clock } = deps
  const run = async ({ input, output }: InsertContext): Promise<Remembered> => {
    const { hypervisor, vm } = await hold.targetOf(deps, input)
    const { instanceId, kind, cdName: name } = input
    const { state } = await hypervisor.vm(vm)
    const volume = input.volume ?? output(fetch)?.volume
    if (!volume) throw new AppError('INVALID_STATE', 'The image was not downloaded.')
    const plan = await hypervisor.planCd(vm)
    const values = { instanceId, kind, name, volume, ...plan, putInAt: clock.now() }
    await db.insert(serverCds).values(values).onConflictDoNothing()
    return { isOn: state !== 'stopped' }
  }
  const undo = async ({ input }: InsertContext) => {
    if (!(await hold.heldBy(db, input))) return
    const isNew = and(eq(serverCds.instanceId, input.instanceId), isNull(serverCds.bootedAt))
    await db.delete(serverCds).where(isNew)
  }
  return { name: 'remember', run, undo }
}

function stopStep(deps: JobDeps, remember: RememberStep): Step<InsertInput> {
  const run = async ({ input }: InsertContext) => {
    await shutDown(await hold.targetOf(deps, input))
  }
  const undo = (context: InsertContext) =>
    hold.undoOn(deps, context, async (target) => {
      if (mustBeOff(target)) await switchOff(target)
      else if (context.output(remember)?.isOn) await target.hypervisor.power(target.vm, 'start')
    })
  return { name: 'stop', run, undo }
}

function putInStep(deps: JobDeps): Step<InsertInput> {
  const run = async ({ input }: InsertContext) => {
    const { hypervisor, vm } = await hold.targetOf(deps, input)
    const cd = await requireCd(deps.db, input.instanceId)
    await hypervisor.insertCd(vm, cd, cd.volume)
  }
  const undo = (context: InsertContext) =>
    hold.undoOn(deps, context, async ({ hypervisor, vm }) => {
      const cd = await cdOf(deps.db, context.input.instanceId)
      if (cd) await hypervisor.ejectCd(vm, cd, cd.volume)
    })
  return { name: 'put-in', run, undo }
}

function startStep(deps: JobDeps): Step<InsertInput> {
  const run = async ({ input }: InsertContext) => {
    const { hypervisor, vm } = await hold.targetOf(deps, input)
    await hypervisor.power(vm, 'start')
  }
  const undo = (context: InsertContext) =>
    hold.undoOn(deps, context, ({ hypervisor, vm }) => hypervisor.power(vm, 'stop'))
  return { name: 'start', run, undo }
}

/** From the next start on it boots from its disk: a CD is booted once, a rescue until it is ended. */
function onceStep(deps: JobDeps): Step<InsertInput> {
  const run = async ({ input }: InsertContext) => {
    if (input.kind === 'rescue') return
    const { hypervisor, vm } = await hold.targetOf(deps, input)
    await hypervisor.bootAsBefore(vm, await requireCd(deps.db, input.instanceId))
  }
  return { name: 'once', run }
}

function commitStep(deps: JobDeps): Step<InsertInput> {
  const { db, clock, events, audit } = deps
  const run = async ({ input }: InsertContext) => {
    // Committed already, by a process that died before it could say so.
    if (!(await hold.heldBy(db, input))) return
    await db.transaction(async (tx) => {
      const held = hold.requireWanted(await hold.lockHeld(tx, input))
      const now = clock.now()
      await tx
        .update(serverCds)
        .set({ bootedAt: now })
        .where(eq(serverCds.instanceId, input.instanceId))
      await release(tx, held, 'running', now)
      await publishTokenChange(tx, events, held.instance.ownerId)
      const action = input.kind === 'rescue' ? 'instance.in-rescue' : 'instance.cd-booted'
      await audit.record(tx, undefined, { action, target: `instance:${held.instance.id}` })
    })
  }
  return { name: 'commit', run }
}

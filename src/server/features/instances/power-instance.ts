import { randomUUID } from 'node:crypto'
import type { ServerEvent } from '#shared/api/overview/events.ts'
import { AppError } from '#shared/errors.ts'
import { canPower, type PowerAct } from '#shared/rules/instance/instance-power.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import type { PowerFailure } from '../../db/schema/stock.ts'
import { concerned } from '../../events/event-bus.ts'
import type { Hypervisor, LiveVm } from '../../hypervisor/port/hypervisor.ts'
import { wordsForClient } from '../../inventory/views/client-errors.ts'
import type { JoinedInstance } from '../../inventory/views/instance-rows.ts'
import { liveState } from '../../inventory/views/live-instances.ts'
import { CLAIM_MS, isHeld } from '../../inventory/vm/acts-under-way.ts'
import { claimPower, type PowerClaim, releasePower } from '../../inventory/vm/power-claim.ts'
import { vmAddress } from '../../inventory/vm/vm-marker.ts'
import { answerOf, inTime } from '../../lib/async/patience.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'

type PowerDeps = Pick<Deps, 'db' | 'clock' | 'events' | 'hypervisors' | 'background' | 'log'> & {
  audit: Audit
}
type Answer = { status: string; message: string }

const WORDS: Record<PowerAct, { title: string; done: string; late: string }> = {
  start: {
    title: 'Start',
    done: 'Instance started successfully',
    late: 'The instance is starting.',
  },
  stop: { title: 'Stop', done: 'Instance stopped successfully', late: 'The instance is stopping.' },
  shutdown: {
    title: 'Shut down',
    done: 'Instance shutdown successfully',
    late: 'The instance is shutting down.',
  },
  restart: {
    title: 'Restart',
    done: 'Instance restarted successfully',
    late: 'The instance is restarting.',
  },
}
/** The claim is released before it becomes void. */
const LONGEST_MS = CLAIM_MS - 30_000

/**
 * Starts, stops or restarts a VM. One action at a time per VM, over all processes. The caller gets
 * an answer soon: a slow guest is followed in the background, and pages are notified at the end.
 */
export function powerInstance(deps: PowerDeps) {
  const { db, clock, events, hypervisors, background, audit } = deps

  const tell = (tx: Db, { ownerId }: JoinedInstance, body: ServerEvent) =>
    events.emit(tx, concerned(ownerId), body)
  const changed: ServerEvent = { type: 'changed', nouns: ['instances'] }

  const claim = (actor: Actor, row: JoinedInstance, act: PowerAct) =>
    db.transaction(async (tx) => {
      const claimed = await claimPower(tx, row, act, clock.now())
      await tell(tx, row, changed)
      const entry = { action: `instance.${act}`, target: `instance:${row.id}` }
      await audit.record(tx, actor, entry)
      return claimed
    })

  const release = (
    row: JoinedInstance,
    claimed: PowerClaim,
    end: { vm: LiveVm | undefined; failure?: PowerFailure },
  ) =>
    db.transaction(async (tx) => {
      const isOurs = await releasePower(tx, claimed, { ...end, at: clock.now() })
      await tell(tx, row, changed)
      return isOurs
    })

  const perform = async (
    row: JoinedInstance,
    act: PowerAct,
    { hypervisor, claimed }: { hypervisor: Hypervisor; claimed: PowerClaim },
  ): Promise<LiveVm> => {
    try {
      const signal = AbortSignal.timeout(LONGEST_MS)
      const vm = await hypervisor.power(vmAddress(row), act, { signal })
      await release(row, claimed, { vm })
      return vm
    } catch (error) {
      const vm = await look(row, hypervisor, deps.log)
      const isOurs = await release(row, claimed, { vm, failure: failureOf(error) })
      // A stop took over, so this action's failure is the intended result.
      throw isOurs ? error : new OvertakenError()
    }
  }

  /** An action that ends after the answer is reported like a job: its start, and its result. */
  const follow = async (row: JoinedInstance, act: PowerAct, work: Promise<unknown>) => {
    const id = randomUUID()
    const say = (
      state: 'running' | 'done' | 'failed',
      error: string | null,
      forOwner: string | null = error,
    ) => {
      const title = `${WORDS[act].title} ${row.name}`
      const progress = state === 'running' ? 0 : 1
      const body = (words: string | null): ServerEvent => ({
        type: 'job',
        job: { id, kind: 'power', title, state, step: null, progress, error: words },
      })
      const owner = row.ownerId === null ? [] : [`user:${row.ownerId}` as const]
      return db.transaction((tx) =>
        events.emitAll(tx, [
          { audience: 'admins', body: body(error) },
          ...owner.map((audience) => ({ audience, body: body(forOwner) })),
        ]),
      )
    }
    await say('running', null)
    try {
      await work
      await say('done', null)
    } catch (error) {
      if (error instanceof OvertakenError) return await say('done', null)
      if (!(error instanceof AppError)) throw error
      await say('failed', error.message, wordsForClient(error))
    }
  }

  return async (actor: Actor, row: JoinedInstance, act: PowerAct): Promise<Answer> => {
    const { hypervisor } = hypervisors.of(row.clusterId)
    await requireAllowed(row, act, hypervisor, deps)
    const claimed = await claim(actor, row, act)
    const work = perform(row, act, { hypervisor, claimed })
    const outcome = await inTime(work)
    if (outcome.isDone) return { status: outcome.value.state, message: WORDS[act].done }
    background.run('switching a VM', () => follow(row, act, work))
    return { status: claimed.status, message: WORDS[act].late }
  }
}

/** Shown on a page that follows the action: a guest that ignored a restart still runs. */
const failureOf = (error: unknown): PowerFailure =>
  error instanceof AppError
    ? { message: error.message, publicMessage: wordsForClient(error) }
    : { message: FAULT, publicMessage: FAULT }

const FAULT = 'It ended with a fault of ours. Try again.'

class OvertakenError extends AppError {
  constructor() {
    super('LOCKED', 'Stop took over.')
  }
}

/** Decides by the table; asks the VM itself before refusing, because the list may lag behind. */
async function requireAllowed(
  row: JoinedInstance,
  act: PowerAct,
  hypervisor: Hypervisor,
  deps: PowerDeps,
): Promise<void> {
  const refusal = canPower(liveState(row, deps).status).refusal(act)
  if (!refusal) return
  const isCertain = refusal.code === 'VM_MISSING' || isHeld(row, deps.clock.now())
  const live = isCertain ? undefined : await look(row, hypervisor, deps.log)
  const last = live ? canPower(live.state).refusal(act) : refusal
  if (last) throw new AppError(last.code, last.reason)
}

/**
 * The current VM; undefined if the cluster cannot answer. The reason is kept, but does not fail the
 * action.
 */
async function look(
  row: JoinedInstance,
  hypervisor: Hypervisor,
  log: Deps['log'],
): Promise<LiveVm | undefined> {
  try {
    return await answerOf(log, hypervisor.vm(vmAddress(row)))
  } catch (error) {
    log.warn({ err: error, instanceId: row.id }, 'a VM could not be looked at')
    return undefined
  }
}

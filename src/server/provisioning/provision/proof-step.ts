import { AppError } from '#shared/errors.ts'
import { LOOK_MS } from '#shared/rules/instance/proof-of-life.ts'
import { shownAddresses } from '../../addresses/shown-addresses.ts'
import { NotYetError, type Step } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import type { Firmware } from '../proof/firmware-step.ts'
import { type Guest, type Proof, proofOfLife } from '../proof/proof-of-life.ts'
import { waitForAnswer } from '../proof/wait-for-answer.ts'
import { targetOf } from './guest-steps.ts'
import type { ProvisionContext, ProvisionDeps, ProvisionInput } from './provision-state.ts'
import { endOfWaiting, expectAnswer, requireMade } from './silence.ts'

/** The new system, and where it must answer. */
export async function guestOf(deps: JobDeps, context: ProvisionContext): Promise<Guest> {
  const { state, instance, hypervisor, vm } = await targetOf(deps, context)
  const { token } = state
  const [address] = shownAddresses({ ...token, clientIpAddress: null }, instance)
  return { hypervisor, vm, address, osType: token.osType }
}

/**
 * The new server answers: only then is it handed over and paid. If it stays silent the client's
 * money is back, and the saga is undone.
 */
export function proofStep(
  deps: ProvisionDeps,
  firmware: Step<ProvisionInput, Firmware>,
): Step<ProvisionInput, Proof> {
  const { db, log } = deps

  const run = async (context: ProvisionContext): Promise<Proof> => {
    const { state } = await targetOf(deps, context)
    // It runs already, and has just taken a new password from its agent.
    if (state.isReady) return { by: 'agent' }
    const order = { jobId: context.jobId, orderId: context.input.orderId }
    await expectAnswer(deps, order)
    const guest = await guestOf(deps, context)
    const look = proofOfLife(deps, guest, context.output(firmware)?.picture ?? null)
    const requireTime = async () => {
      const end = await endOfWaiting(deps, order)
      if (end !== undefined) throw new AppError('INVALID_STATE', end, { publicMessage: end })
      await requireMade(db, order)
    }
    const ask = async () => {
      await requireTime()
      return await look()
    }
    const { progress } = context
    const [proof] = await waitForAnswer(ask, { progress, log, patienceMs: LOOK_MS })
    if (proof !== undefined) return proof
    await requireTime()
    throw new NotYetError('The server does not answer yet.', { hasOwnEnd: true })
  }

  return { name: 'proof', run }
}

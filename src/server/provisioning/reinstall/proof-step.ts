import { AppError } from '#shared/errors.ts'
import { ANSWERS_MS, LOOK_MS } from '#shared/rules/instance/proof-of-life.ts'
import { shownAddresses } from '../../addresses/shown-addresses.ts'
import { NotYetError, type Step } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import type { Firmware, Started } from '../proof/firmware-step.ts'
import { type Guest, type Proof, proofOfLife } from '../proof/proof-of-life.ts'
import { waitForAnswer } from '../proof/wait-for-answer.ts'
import { type ReinstallContext, type ReinstallInput, targetOf } from './reinstall-state.ts'

type Before = {
  start: Step<ReinstallInput, Started>
  firmware: Step<ReinstallInput, Firmware>
}

/** The new system, and where it must answer. */
export async function guestOf(deps: JobDeps, { input }: ReinstallContext): Promise<Guest> {
  const { hypervisor, vm, instance, token } = await targetOf(deps, input)
  const [address] = shownAddresses({ ...token, clientIpAddress: null }, instance)
  return { hypervisor, vm, address, osType: input.osType }
}

/** The new system answers; if it does not, the old one comes back. */
export function proofStep(deps: JobDeps, { start, firmware }: Before): Step<ReinstallInput, Proof> {
  const { clock, log } = deps

  const run = async (context: ReinstallContext) => {
    const { input, output, progress } = context
    const began = Date.parse(output(start)?.at ?? clock.now().toISOString())
    const guest = await guestOf(deps, context)
    const look = proofOfLife(deps, guest, output(firmware)?.picture ?? null)
    // Also if its time passed while our process was away.
    const isOver = () => look.hasAsked() && clock.now().getTime() - began >= ANSWERS_MS
    const ask = async () => {
      await targetOf(deps, input)
      // Before the look, so that it sees whatever was answered until then.
      const isLast = isOver()
      const proofs = await look()
      if (proofs.length === 0 && isLast) throw silent()
      return proofs
    }
    const [proof] = await waitForAnswer(ask, { progress, log, patienceMs: LOOK_MS })
    if (proof !== undefined) return proof
    await targetOf(deps, input)
    if (isOver()) throw silent()
    throw new NotYetError('The new system does not answer yet.', { hasOwnEnd: true })
  }

  return { name: 'proof', run }
}

const SILENT = 'The new system did not answer within 10 minutes.'
const silent = () => new AppError('INVALID_STATE', SILENT, { publicMessage: SILENT })

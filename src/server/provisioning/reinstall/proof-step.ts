import { AppError } from '#shared/errors.ts'
import { isWindows } from '#shared/rules/instance/system-of-template.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { shownAddresses } from '../../addresses/shown-addresses.ts'
import type { Step } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import type { Target } from '../hold/held-server.ts'
import { waitForAgent } from '../provision/wait-for-agent.ts'
import type { Firmware } from './firmware-step.ts'
import type { Started } from './guest-steps.ts'
import { type ReinstallContext, type ReinstallInput, targetOf } from './reinstall-state.ts'
import { watchPicture } from './watch-picture.ts'
import { watchRdp } from './watch-rdp.ts'
import { watchSsh } from './watch-ssh.ts'

/** How long the new system may take until it answers. */
const ANSWERS_MS = 10 * MINUTE_MS
/** How long one try waits; between two, other jobs have their turn. */
const LOOK_MS = 2 * MINUTE_MS

type Proof = 'agent' | 'ssh' | 'rdp' | 'picture'
type Before = {
  start: Step<ReinstallInput, Started>
  firmware: Step<ReinstallInput, Firmware>
}

/**
 * The new system answers, by its guest agent or by SSH. Windows need have neither: it may answer by
 * Remote Desktop or, last, show its picture.
 */
export function proofStep(
  deps: JobDeps,
  { start, firmware }: Before,
): Step<ReinstallInput, { by: Proof }> {
  const { clock, log } = deps

  const run = async ({ input, output, progress }: ReinstallContext) => {
    const began = Date.parse(output(start)?.at ?? clock.now().toISOString())
    const isOver = () => clock.now().getTime() - began >= ANSWERS_MS
    const target = await targetOf(deps, input)
    const answers = [agentOf(target), ...overNetwork(target, input)]
    // Only of Windows: the step before looks at nothing else.
    const { picture } = output(firmware) ?? { picture: null }
    if (picture !== null) answers.push(pictureOf(deps, target, picture))
    const ask = async () => {
      await targetOf(deps, input)
      const by = await firstOf(answers)
      if (by.length === 0 && isOver()) throw silent()
      return by
    }
    const [by] = await waitForAgent<Proof>(ask, { progress, log, patienceMs: LOOK_MS })
    if (by !== undefined) return { by }
    await targetOf(deps, input)
    if (isOver()) throw silent()
    throw new AppError('UNAVAILABLE', 'The new system does not answer yet.', {
      publicMessage: 'The new system does not answer yet.',
    })
  }

  return { name: 'proof', run }
}

const SILENT = 'The new system did not answer within 10 minutes.'
const silent = () => new AppError('INVALID_STATE', SILENT, { publicMessage: SILENT })

type Answer = { proof: Proof; isThere: () => boolean | Promise<boolean> }

/** The first proof that is there, or none. */
async function firstOf(answers: readonly Answer[]): Promise<Proof[]> {
  for (const { proof, isThere } of answers) if (await isThere()) return [proof]
  return []
}

function agentOf({ hypervisor, vm }: Target): Answer {
  let mayAsk = true
  const isThere = async (): Promise<boolean> => {
    if (!mayAsk) return false
    try {
      return (await hypervisor.guestAddresses(vm, { asksAgain: true })).length > 0
    } catch (error) {
      // The account may not ask the agent.
      if (!(error instanceof AppError) || error.code !== 'INVALID_STATE') throw error
      mayAsk = false
      return false
    }
  }
  return { proof: 'agent', isThere }
}

function overNetwork({ instance, token }: Target, { osType }: ReinstallInput): Answer[] {
  const [address] = shownAddresses({ ...token, clientIpAddress: null }, instance)
  if (address === undefined) return []
  const ssh: Answer = { proof: 'ssh', isThere: watchSsh(address) }
  return isWindows(osType) ? [ssh, { proof: 'rdp', isThere: watchRdp(address) }] : [ssh]
}

const pictureOf = (
  { clock, log }: JobDeps,
  { hypervisor, vm }: Target,
  firmware: NonNullable<Firmware['picture']>,
): Answer => ({
  proof: 'picture',
  isThere: watchPicture({ look: () => hypervisor.lookAtScreen(vm), firmware, clock, log }),
})

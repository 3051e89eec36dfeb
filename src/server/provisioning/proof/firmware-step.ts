import { AppError } from '#shared/errors.ts'
import { isWindows } from '#shared/rules/instance/system-of-template.ts'
import { describeFailure, type Step, type StepContext } from '../../jobs/job-definition.ts'
import type { PictureFacts } from '../../rfb/picture-facts.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import type { Guest } from './proof-of-life.ts'

/** No Windows shows a picture of its own so soon. */
const FIRST_MS = 10_000

export type Firmware = {
  /** What the screen shows before the system does; null if it was not seen in time. */
  picture: PictureFacts | null
}

/** The output of a step that starts a VM. */
export type Started = { at: string }

type Source<I> = {
  start: Step<I, Started>
  guest(context: StepContext<I>): Promise<Guest>
}

/**
 * Looks at the screen right after the start, where the picture may have to prove the new system
 * later: what the firmware shows must not count. Without this look no picture counts.
 */
export function firmwareStep<I>(deps: JobDeps, { start, guest }: Source<I>): Step<I, Firmware> {
  const { clock, log } = deps

  const run = async (context: StepContext<I>): Promise<Firmware> => {
    const { hypervisor, vm, osType } = await guest(context)
    const began = Date.parse(context.output(start)?.at ?? '')
    const isInTime = () => clock.now().getTime() - began < FIRST_MS
    if (!isWindows(osType) || !isInTime()) return { picture: null }
    try {
      const picture = await hypervisor.lookAtScreen(vm)
      return { picture: isInTime() ? picture : null }
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'VM_MISSING') throw error
      if (describeFailure(error).retry === 'later' && isInTime()) throw error
      log.debug({ err: error }, 'the screen was not seen right after the start')
      return { picture: null }
    }
  }

  return { name: 'firmware', run }
}

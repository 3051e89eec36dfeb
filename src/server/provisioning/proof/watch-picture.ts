import { AppError } from '#shared/errors.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { likeness, type PictureFacts } from '../../rfb/picture-facts.ts'

/** Text and the small graphics of firmware and boot loaders: 640 × 480, 720 × 400 and below. */
const LARGEST_TEXT_MODE = { width: 720, height: 480 }
/** Letters, logos and error screens have few colours, on a background that fills nearly all. */
const FEWEST_COLOURS = 128
const LARGEST_BACKGROUND = 0.5
/** A clock or a cursor changes a few points, another picture nearly all. */
const SAME = 0.8

/** Two looks that both show a system, this far apart, are a proof. */
const APART_MS = MINUTE_MS / 2

/**
 * Whether this is the picture of a system that runs: of a sign-in screen or a desktop, and not what
 * the firmware showed after the start.
 */
export function showsSystem(seen: PictureFacts, firmware: PictureFacts): boolean {
  const { width, height, colours, commonest } = seen
  if (width <= LARGEST_TEXT_MODE.width || height <= LARGEST_TEXT_MODE.height) return false
  if (colours < FEWEST_COLOURS || commonest > LARGEST_BACKGROUND) return false
  return likeness(seen, firmware) < SAME
}

type Watching = {
  look: () => Promise<PictureFacts>
  firmware: PictureFacts
  clock: Clock
  log: Pick<Log, 'debug'>
}

type PictureWatch = {
  (): Promise<boolean>
  /** The last look showed a system: the next one decides. */
  isSeenOnce(): boolean
}

/** Whether the system has shown its picture for a while. Looks at most twice a minute. */
export function watchPicture({ look, firmware, clock, log }: Watching): PictureWatch {
  let mayLook = true
  let lookedAt: number | undefined
  let shownSince: number | undefined

  const isShown = async (): Promise<boolean> => {
    try {
      return showsSystem(await look(), firmware)
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'VM_MISSING') throw error
      log.debug({ err: error }, 'the screen of the new system cannot be seen')
      // The account may not open consoles.
      if (error.code === 'CLUSTER_REFUSED') mayLook = false
      return false
    }
  }

  const isThere = async () => {
    const now = clock.now().getTime()
    if (!mayLook || (lookedAt !== undefined && now - lookedAt < APART_MS)) return false
    lookedAt = now
    if (await isShown()) shownSince ??= now
    else shownSince = undefined
    return shownSince !== undefined && now - shownSince >= APART_MS
  }
  return Object.assign(isThere, { isSeenOnce: () => shownSince !== undefined })
}

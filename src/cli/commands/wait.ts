import { setTimeout as pause } from 'node:timers/promises'
import { api } from '#shared/api/index.ts'
import type { Job } from '#shared/api/overview/dashboard.ts'
import type { Route } from '#shared/api/parts/route.ts'
import { isUnderWay } from '#shared/rules/instance/instance-power.ts'
import { Failure } from '../terminal/failure.ts'
import { plain } from '../terminal/width.ts'
import { type Flag, WHOLE_NUMBER, type World } from './command.ts'
import { readServer } from './one-server.ts'

const POLL_MS = 1500
const TIMEOUT_S = 900

/** The flags of waiting, which asks by these calls. */
export const waitBy = (...calls: Route[]): Record<string, Flag> => ({
  wait: { says: 'wait until it is done, with its progress on stderr', calls },
  timeout: {
    takes: 'seconds',
    form: WHOLE_NUMBER,
    says: `wait at most so long (${TIMEOUT_S} by default)`,
  },
})

/** For a job of a server. */
export const WAIT = waitBy(api.servers.get)

/** Says how far it is, and that there is no result yet. */
type Show = (line: string) => undefined
type Progress = Pick<Job, 'title' | 'step' | 'progress'>

/** One line that is written over on a terminal, else a line for every change. */
function progressLine({ terminal }: World) {
  let last = ''
  return {
    show(line: string) {
      if (line !== last) terminal.err(terminal.isLive ? `\r\u001b[2K${line}` : `${line}\n`)
      last = line
      return undefined
    },
    end() {
      if (terminal.isLive && last !== '') terminal.err('\r\u001b[2K')
    },
  }
}

const wordsFor = ({ title, step, progress }: Progress) =>
  `${String(Math.round(progress * 100)).padStart(3)} %  ${plain(step ? `${title}: ${step}` : title)}`

/** Asks again and again until there is a result; the limit ends the waiting, not the work. */
export async function until<T>(
  world: World,
  look: (show: Show) => Promise<T | undefined>,
): Promise<T> {
  const seconds = world.given.number('timeout') ?? TIMEOUT_S
  const end = Date.now() + seconds * 1000
  const line = progressLine(world)
  try {
    for (;;) {
      const result = await look(line.show)
      if (result !== undefined) return result
      if (Date.now() + POLL_MS > end) {
        throw new Failure(
          'unreachable',
          `Not done after ${seconds} s. The work continues on the server.`,
        )
      }
      await pause(POLL_MS)
    }
  } finally {
    line.end()
  }
}

export const showJob = (show: Show, job: Progress | undefined): undefined =>
  job ? show(wordsFor(job)) : undefined

/** Waits for a job of a server. One that is neither under way nor failed is done. */
export async function waitForJob(world: World, id: number, jobId: string): Promise<void> {
  if (!world.given.has('wait')) return
  await until(world, async (show) => {
    const job = (await readServer(world, id)).jobs.find((one) => one.id === jobId)
    if (!job || job.state === 'done') return true
    if (job.state === 'failed') throw new Failure('refused', plain(job.error ?? 'It failed.'))
    return showJob(show, job)
  })
}

/** Waits until a power action has ended. */
export const waitForPower = (world: World, id: number): Promise<string> =>
  until(world, async (show) => {
    const { status, failure } = await world.session().call(api.instances.status, { params: { id } })
    if (isUnderWay(status)) return show(status)
    if (failure) throw new Failure('refused', plain(failure))
    return status
  })

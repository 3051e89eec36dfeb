import type { Context } from '../context/context.ts'
import type { Work } from '../tasks/task-runner.ts'
import { type JobsOf, numberArg } from './shared.ts'

/** Lives as long as the VNC port: until the viewer leaves, or for ten seconds without one. */
async function vncproxy(sim: Context, work: Work, port: number): Promise<void> {
  const session = sim.consoles.byPort(port)
  if (!session) throw new Error('unexpected status')
  try {
    while (session.state !== 'ended') await work.wait(20)
  } catch (error) {
    sim.consoles.end(session, null)
    throw error
  }
  if (session.outcome !== null) throw new Error(session.outcome)
}

export const consoleJobs: JobsOf = (sim) => ({
  vncproxy: (work, args) => vncproxy(sim, work, numberArg(args, 'port')),
})

import { describe, expect, test } from 'vitest'
import { type Act, openActsWorld, type Standing } from './acts-world.ts'
import { inWorld, KILL_DATABASES, momentsOf } from './kill-moments.ts'

/** An action has at most this many moments; how often the cluster is polled for a task varies. */
const MOMENTS = momentsOf(40, (moment) => [2, 5, 11].includes(moment))

type World = Awaited<ReturnType<typeof openActsWorld>>

const AFTER: Record<Act, Standing> = { suspend: 'suspended', resume: 'running', end: 'ended' }
const BEFORE: Record<Act, Standing> = { suspend: 'running', resume: 'suspended', end: 'running' }

/** Kills the server in the middle of an action, and returns the state after the next start. */
async function killedIn(world: World, act: Act, moment: number) {
  const { status, moments } = await world.actAndDie(act, moment)
  await world.recover()
  const { is, facts } = await world.standing()
  const where = `${act}, moment ${moment}: ${moments.at(-1)} ${JSON.stringify(facts)}`
  return { is, status, where, isOver: moments.length < moment }
}

describe.each(KILL_DATABASES)('on %s', (_, environment) => {
  test(
    'a server killed while it ends, suspends or resumes one finishes that or has not begun',
    {
      timeout: 3_600_000,
    },
    () =>
      inWorld(environment, openActsWorld, async (world) => {
        const reached: Record<Act, number> = { suspend: 0, resume: 0, end: 0 }
        await world.buy()
        for (const moment of MOMENTS) {
          for (const act of ['suspend', 'resume', 'end'] as const) {
            const { is, status, where, isOver } = await killedIn(world, act, moment)
            expect([BEFORE[act], AFTER[act]], where).toContain(is)
            // An answered action was done.
            if (status !== undefined)
              expect({ status, is }, where).toEqual({ status: 202, is: AFTER[act] })
            if (!isOver) reached[act] += 1
            if (is !== AFTER[act]) await world.act(act)
            expect((await world.standing()).is, where).toBe(AFTER[act])
          }
          await world.buy()
        }
        // The process did die: at its first moments, and in the middle of the work after them.
        for (const count of Object.values(reached)) expect(count).toBeGreaterThanOrEqual(2)
      }),
  )
})

import { and, eq } from 'drizzle-orm'
import { expect, test, vi } from 'vitest'
import { orders } from '../../../src/server/db/schema/sales.ts'
import { tokens } from '../../../src/server/db/schema/stock.ts'
import { jobSteps, jobs } from '../../../src/server/db/schema/work.ts'
import { creditOf } from '../../../src/server/ledger/credit.ts'
import { heldIn } from '../../../src/server/ledger/ledger.ts'
import { statement } from '../../../src/server/ledger/statement.ts'
import { callAs, inDatabase } from '../../../src/server/testing/prepare.ts'
import { startProcess } from '../../../src/server/testing/server-process.ts'
import { testPostgresUrl } from '../../../src/server/testing/test-db.ts'
import { startTestSim } from '../../../src/server/testing/with-sim.ts'
import { inWorld } from './kill-moments.ts'

const PATIENT = { timeout: 60_000, interval: 250 }
const LIMIT = { timeout: 300_000 }
type Env = Record<string, string>

/** A buyer whose new server does not answer, and a process that is killed while it waits. */
async function openProofWorld(given: Env, dataDir: string) {
  const env = { ...given, DEMO: '0' }
  const sim = await startTestSim()
  for (const vm of sim.state.vms.values()) vm.guest.agent = 'none'
  const vmsBefore = sim.state.vms.size
  const { token, buyer } = await inDatabase(env, dataDir, async (inside) => {
    const { token } = await inside.cluster(sim)
    return { token: await token(), buyer: await inside.visitor() }
  })
  const look = () =>
    inDatabase(env, dataDir, async ({ db }) => {
      const [order] = await db.select().from(orders)
      const [job] = await db.select().from(jobs)
      const [sold] = await db.select().from(tokens)
      const id = order?.id ?? 0
      return {
        status: order?.status,
        isProven: order?.answeredAt !== null,
        job: job?.state,
        token: sold?.status,
        held: await heldIn(db, 'held', id),
        earned: await heldIn(db, 'earned', id),
        credit: await creditOf(db, buyer.user.id),
        isBalanced: (await statement(db)).isBalanced,
        vms: sim.state.vms.size - vmsBefore,
      }
    })
  const isInProof = () =>
    inDatabase(env, dataDir, async ({ db }) => {
      const isIt = and(eq(jobSteps.step, 'proof'), eq(jobSteps.state, 'intended'))
      expect(await db.select().from(jobSteps).where(isIt)).toHaveLength(1)
    })

  return {
    look,
    /** Buys, and kills the process with `kill -9` while it asks the new server. */
    async buyAndDie() {
      const server = await startProcess(env, dataDir)
      const buy = callAs(server.url, buyer.cookie)
      expect((await buy(`/api/marketplace/purchase/${token.tokenId}`, 'POST')).status).toBe(201)
      await vi.waitFor(isInProof, PATIENT)
      await server.kill()
    },
    answer() {
      for (const vm of sim.state.vms.values()) vm.guest.agent = 'alive'
    },
    /** Its ten minutes are over. */
    letTimePass: () =>
      inDatabase(env, dataDir, ({ db }) => db.update(orders).set({ answerByMs: 0 })),
    /** Starts the product again, until the order is in this state and its job has ended. */
    async recover(status: string) {
      const server = await startProcess(env, dataDir)
      try {
        await vi.waitFor(async () => {
          const { job, status: is } = await look()
          expect({ is, isOver: job === 'done' || job === 'failed' }).toEqual({
            is: status,
            isOver: true,
          })
        }, PATIENT)
      } finally {
        await server.stop()
      }
    },
    close: () => sim.close(),
  }
}

// PostgreSQL: the embedded database lets nothing else look while a process has it.
const environment = async (): Promise<Env> => ({
  DATABASE_URL: await testPostgresUrl(),
  SECRET_KEY: 'a key for processes that are killed',
})

test(
  'killed while it asks the new server: paid once the server answers the next process',
  LIMIT,
  () =>
    inWorld(environment, openProofWorld, async (world) => {
      await world.buyAndDie()
      expect(await world.look()).toMatchObject({ status: 'provisioning', held: 500, earned: 0 })
      world.answer()
      await world.recover('active')
      expect(await world.look()).toEqual({
        status: 'active',
        isProven: true,
        job: 'done',
        token: 'assigned',
        held: 0,
        earned: 500,
        credit: 0,
        isBalanced: true,
        vms: 1,
      })
    }),
)

test(
  'killed while it asks the new server: the money comes back if the server stays silent',
  LIMIT,
  () =>
    inWorld(environment, openProofWorld, async (world) => {
      await world.buyAndDie()
      await world.letTimePass()
      await world.recover('cancelled')
      expect(await world.look()).toEqual({
        status: 'cancelled',
        isProven: false,
        job: 'failed',
        token: 'available',
        held: 0,
        earned: 0,
        credit: 500,
        isBalanced: true,
        vms: 0,
      })
    }),
)

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import type { Sim } from '#pve-sim/sim.ts'
import { orders, payments } from '../../../src/server/db/schema/sales.ts'
import { instances, tokens } from '../../../src/server/db/schema/stock.ts'
import { jobs, leases } from '../../../src/server/db/schema/work.ts'
import { callAs, inDatabase } from '../../../src/server/testing/prepare.ts'
import { startProcess } from '../../../src/server/testing/server-process.ts'
import { startTestSim } from '../../../src/server/testing/with-sim.ts'

const DIE_AT = new URL('../../../src/server/testing/die-at.ts', import.meta.url).href
/** R2: this long after the restart everything is in order again. */
const RECOVERED = { timeout: 60_000, interval: 250 }

type Env = Record<string, string>

/** One cluster, one token on sale, one buyer, and a server process that may be killed. */
export async function openSaleWorld(given: Env, dataDir: string) {
  const env = { ...given, DEMO: '0' }
  const sim = await startTestSim()
  const vmsBefore = sim.state.vms.size
  const { token, buyer } = await inDatabase(env, dataDir, async (inside) => {
    const { token } = await inside.cluster(sim)
    return { token: await token(), buyer: await inside.visitor() }
  })

  const notes = join(dataDir, 'moments.txt')
  const purchase = (url: string) =>
    callAs(url, buyer.cookie)(`/api/marketplace/purchase/${token.tokenId}`, 'POST')
  const tokenOf = async (url: string) => {
    const reply = await callAs(url, buyer.cookie)('/api/client/tokens')
    const own = (await reply.json()) as { id: number; status: string; job: object | null }[]
    return own.find(({ id }) => id === token.id)
  }
  /** The server is the buyer's, and the job that created it has ended. */
  const untilAssigned = (url: string) =>
    vi.waitFor(
      async () => expect(await tokenOf(url)).toMatchObject({ status: 'assigned', job: null }),
      RECOVERED,
    )

  return {
    /** Buys on a server that dies at this moment; 0 is never. Returns the moments it reached. */
    async buyAndDie(at: number): Promise<string[]> {
      const watched = { NODE_OPTIONS: `--import=${DIE_AT}`, DIE_AT: String(at), DIE_NOTES: notes }
      const server = await startProcess({ ...env, ...watched }, dataDir)
      // The answer of a server that dies is lost.
      const answer = await purchase(server.url).catch(() => undefined)
      expect(answer?.status ?? 201).toBe(201)
      // How often a task is polled varies: the last moments may not occur.
      await Promise.race([server.ended, untilAssigned(server.url).then(server.kill)])
      const moments = readFileSync(notes, 'utf8').trim().split('\n')
      rmSync(notes)
      return moments
    },

    /** Starts the product again; returns the time until the buyer had the server, in ms. */
    async recover(): Promise<number> {
      const server = await startProcess(env, dataDir)
      const started = performance.now()
      try {
        // Killed before the sale was stored: then nothing happened, and it can be bought.
        if (!(await tokenOf(server.url))) expect((await purchase(server.url)).status).toBe(201)
        await untilAssigned(server.url)
        return performance.now() - started
      } finally {
        await server.stop()
      }
    },

    /** One order, one payment, one VM, nothing half done. */
    async expectOneSale(): Promise<void> {
      const left = await inDatabase(env, dataDir, async ({ db }) => ({
        orders: await db.select().from(orders),
        payments: await db.select().from(payments),
        tokens: await db.select().from(tokens),
        instances: await db.select().from(instances),
        jobs: await db.select().from(jobs),
        leases: await db.select().from(leases),
      }))
      expect(left.orders).toMatchObject([{ status: 'active', amountCents: 500, failure: null }])
      expect(left.payments).toMatchObject([{ orderId: left.orders[0]?.id, amountCents: 500 }])
      expect(left.tokens).toMatchObject([{ status: 'assigned', assignedUserId: buyer.user.id }])
      expect(left.jobs).toMatchObject([{ state: 'done' }])
      expect(left.leases).toEqual([])
      const [own, ...others] = left.instances.filter(({ marker }) => marker !== null)
      expect(others).toEqual([])
      expect(own).toMatchObject({ status: 'running', ownerId: buyer.user.id, tokenId: token.id })
      expectOneVm(sim, vmsBefore, own)
    },

    close: () => sim.close(),
  }
}

type Own = { vmId: number; marker: string | null } | undefined

/** In the cluster itself: no surplus VM, and the one we created is the one in our record. */
function expectOneVm(sim: Sim, before: number, own: Own): void {
  expect(sim.state.vms.size).toBe(before + 1)
  const made = [...sim.state.vms.values()].filter(({ config }) =>
    config.description?.includes(own?.marker ?? 'no marker'),
  )
  expect(made.map(({ vmid, qmp }) => ({ vmid, qmp }))).toEqual([
    { vmid: own?.vmId, qmp: 'running' },
  ])
}

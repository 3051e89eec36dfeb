import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { desc, eq, inArray } from 'drizzle-orm'
import { expect, vi } from 'vitest'
import { orders } from '../../../src/server/db/schema/sales.ts'
import { instances, tokens } from '../../../src/server/db/schema/stock.ts'
import { jobs } from '../../../src/server/db/schema/work.ts'
import { UNFINISHED } from '../../../src/server/jobs/job-store.ts'
import { statement } from '../../../src/server/ledger/statement.ts'
import { callAs, inDatabase } from '../../../src/server/testing/prepare.ts'
import { signIn, startProcess } from '../../../src/server/testing/server-process.ts'
import { startTestSim } from '../../../src/server/testing/with-sim.ts'

const DIE_AT = new URL('../../../src/server/testing/die-at.ts', import.meta.url).href
const RECOVERED = { timeout: 60_000, interval: 250 }
const PRICE = 500

type Env = Record<string, string>
export type Act = 'suspend' | 'resume' | 'end'

/** The commit with which each action begins. */
const BEGINS_WITH: Record<Act, string> = {
  suspend: 'instances jobs',
  resume: 'instances jobs',
  end: 'tokens jobs',
}

/** The state of a server when no job works on it. */
export type Standing = 'running' | 'suspended' | 'ended' | 'half'

/** One cluster, one client, one server that it bought, and a process that may be killed. */
export async function openActsWorld(given: Env, dataDir: string) {
  const env = { ...given, DEMO: '0' }
  const sim = await startTestSim()
  const { stock, buyer } = await inDatabase(env, dataDir, async (inside) => {
    const { token } = await inside.cluster(sim)
    const stock = await Promise.all(Array.from({ length: 40 }, () => token()))
    return { stock, buyer: await inside.visitor() }
  })
  const notes = join(dataDir, 'moments.txt')
  let current: { tokenId: number; instanceId: number; vmId: number } | undefined

  /**
   * The state of the client's newest server, read from the database and from the cluster itself.
   */
  const standing = () =>
    inDatabase(env, dataDir, async ({ db }) => {
      const { tokenId = 0, instanceId = 0, vmId = 0 } = current ?? {}
      const [token] = await db.select().from(tokens).where(eq(tokens.id, tokenId))
      const [instance] = await db.select().from(instances).where(eq(instances.id, instanceId))
      const [order] = await db
        .select()
        .from(orders)
        .where(eq(orders.tokenId, tokenId))
        .orderBy(desc(orders.id))
      const open = await db.select().from(jobs).where(inArray(jobs.state, UNFINISHED))
      const books = await statement(db)
      const isOff = sim.state.vms.get(vmId)?.qmp === 'stopped'
      const isOn = sim.state.vms.get(vmId)?.qmp === 'running'
      const facts = {
        token: token?.status,
        isSuspended: instance ? instance.suspendedAt !== null : undefined,
        order: order?.status,
        credit: books.credit,
        isBalanced: books.isBalanced,
        vm: isOn ? 'on' : isOff ? 'off' : 'gone',
        open: open.length,
      }
      const is = (wanted: Partial<typeof facts>) =>
        Object.entries({ isBalanced: true, open: 0, ...wanted }).every(
          ([name, value]) => facts[name as keyof typeof facts] === value,
        )
      const kept = { token: 'assigned', order: 'active', credit: 0 } as const
      const states: Record<Standing, boolean> = {
        running: is({ ...kept, isSuspended: false, vm: 'on' }),
        suspended: is({ ...kept, isSuspended: true, vm: 'off' }),
        // Its money is refunded to the client, once; the VM is kept for the grace period.
        ended: is({ token: 'cancelled', order: 'cancelled', credit: PRICE, vm: 'off' }),
        half: false,
      }
      const found = (Object.keys(states) as Standing[]).find((name) => states[name])
      return { is: found ?? 'half', facts }
    })

  const act = async (url: string, name: Act) => {
    const call = await signIn(url)
    const bodies: Record<Act, object> = {
      suspend: { reason: 'Abuse' },
      resume: {},
      end: { confirm: String(current?.vmId), refund: 'credit' },
    }
    const body = JSON.stringify(bodies[name])
    return await call(`/api/instances/${current?.instanceId}/${name}`, { method: 'POST', body })
  }

  /** Waits until no job is under way. */
  const untilIdle = async (url: string) => {
    const call = await signIn(url)
    await vi.waitFor(async () => {
      const list = (await (await call('/api/jobs')).json()) as { state: string }[]
      const open = list.filter(({ state }) => !['done', 'failed'].includes(state))
      expect(open).toEqual([])
    }, RECOVERED)
  }

  return {
    standing,
    /** The client buys a server, which then runs. Its credit pays for it. */
    async buy(): Promise<void> {
      const next = stock.shift()
      if (!next) throw new Error('everything is sold')
      const server = await startProcess(env, dataDir)
      try {
        const call = callAs(server.url, buyer.cookie)
        expect((await call(`/api/marketplace/purchase/${next.tokenId}`, 'POST')).status).toBe(201)
        const own = await vi.waitFor(async () => {
          const list = (await (await call('/api/client/tokens')).json()) as Own[]
          const found = list.find(({ id }) => id === next.id)
          expect(found).toMatchObject({ status: 'assigned', job: null })
          return found
        }, RECOVERED)
        expect(own).toBeDefined()
      } finally {
        await server.stop()
      }
      current = await inDatabase(env, dataDir, async ({ db }) => {
        const [token] = await db.select().from(tokens).where(eq(tokens.id, next.id))
        return {
          tokenId: next.id,
          instanceId: token?.assignedInstanceId ?? 0,
          vmId: token?.proxmoxVmId ?? 0,
        }
      })
    },

    /**
     * Runs the action on a server that dies at this moment; 0 is never. Returns the answer, if any.
     */
    async actAndDie(name: Act, at: number) {
      const server = await startProcess(
        {
          ...env,
          NODE_OPTIONS: `--import=${DIE_AT}`,
          DIE_AT: String(at),
          DIE_NOTES: notes,
          DIE_BEGINS_WITH: BEGINS_WITH[name],
        },
        dataDir,
      )
      const answer = await act(server.url, name).catch(() => undefined)
      const idle = answer?.ok ? untilIdle(server.url).then(server.kill) : server.ended
      await Promise.race([server.ended, idle.catch(() => server.ended)])
      const moments = readFileSync(notes, 'utf8').trim().split('\n')
      rmSync(notes)
      return { status: answer?.status, moments }
    },

    /** Starts the product again, and waits until the work under way is over. */
    async recover(): Promise<void> {
      const server = await startProcess(env, dataDir)
      try {
        await untilIdle(server.url)
      } finally {
        await server.stop()
      }
    },

    /** The same without a crash. */
    async act(name: Act): Promise<void> {
      const server = await startProcess(env, dataDir)
      try {
        expect((await act(server.url, name)).status).toBe(202)
        await untilIdle(server.url)
      } finally {
        await server.stop()
      }
    },

    close: () => sim.close(),
  }
}

type Own = { id: number; status: string; job: object | null }

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { eq, inArray } from 'drizzle-orm'
import { expect, vi } from 'vitest'
import { snapshots } from '../../../src/server/db/schema/snapshots.ts'
import { instances, tokens } from '../../../src/server/db/schema/stock.ts'
import { jobSteps, jobs, leases } from '../../../src/server/db/schema/work.ts'
import { UNFINISHED } from '../../../src/server/jobs/job-store.ts'
import { callAs, inDatabase } from '../../../src/server/testing/prepare.ts'
import { signIn, startProcess } from '../../../src/server/testing/server-process.ts'
import { startTestSim } from '../../../src/server/testing/with-sim.ts'
import { openPassword } from '../../../src/server/tokens/token-rows.ts'

const DIE_AT = new URL('../../../src/server/testing/die-at.ts', import.meta.url).href
const RECOVERED = { timeout: 120_000, interval: 250 }

type Env = Record<string, string>
type Ask = { path: string; method?: string; body?: object }
/** `isReady` is a path that answers once the process knows what it needs from the cluster. */
type DeadlyAsk = Ask & { isReady?: string }

/** One cluster, one client, one server that it bought, and a process that may be killed. */
export async function openServerWorld(given: Env, dataDir: string) {
  const env = { ...given, DEMO: '0' }
  const sim = await startTestSim()
  const { token, buyer } = await inDatabase(env, dataDir, async (inside) => {
    const { token } = await inside.cluster(sim)
    const sold = await token({ osType: 'Ubuntu 22.04', username: 'ubuntu' })
    return { token: sold, buyer: await inside.visitor() }
  })
  const notes = join(dataDir, 'moments.txt')

  /** Waits until no job is under way. */
  const untilIdle = async (url: string) => {
    const call = await signIn(url)
    await vi.waitFor(async () => {
      const list = (await (await call('/api/jobs')).json()) as { state: string }[]
      expect(list.filter(({ state }) => !['done', 'failed'].includes(state))).toEqual([])
    }, RECOVERED)
  }

  /** Asks a process that is not killed, and waits until all that follows is done. */
  const askAndWait = async ({ path, method = 'POST', body }: Ask, status: number) => {
    const server = await startProcess(env, dataDir)
    try {
      const answer = await callAs(server.url, buyer.cookie)(path, method, body)
      expect(answer.status).toBe(status)
      await untilIdle(server.url)
    } finally {
      await server.stop()
    }
  }

  /** Our rows of a server, and the cluster's. */
  const look = (tokenId = token.id) =>
    inDatabase(env, dataDir, async ({ db, deps }) => {
      const [sold] = await db.select().from(tokens).where(eq(tokens.id, tokenId))
      const [row] = await db
        .select()
        .from(instances)
        .where(eq(instances.id, sold?.assignedInstanceId ?? 0))
      const vm = sim.state.vms.get(row?.vmId ?? 0)
      if (!sold || !row || !vm) throw new Error('the server is gone')
      return {
        row,
        vm,
        sold,
        password: openPassword(deps.keyring, sold),
        snapshots: await db.select().from(snapshots),
        open: await db.select().from(jobs).where(inArray(jobs.state, UNFINISHED)),
        steps: await db.select().from(jobSteps),
        leases: await db.select().from(leases),
      }
    })

  const buy = (tokenId: string) => askAndWait({ path: `/api/marketplace/purchase/${tokenId}` }, 201)
  await buy(token.tokenId)

  return {
    sim,
    buyer,
    look,
    untilIdle,
    askAndWait,
    inDatabase: <T>(work: Parameters<typeof inDatabase<T>>[2]) => inDatabase(env, dataDir, work),
    start: () => startProcess(env, dataDir),

    /** Another server for the same client, of the same size; the id of its token. */
    async buyAnother(ipAddress: string): Promise<number> {
      const { id, tokenId } = await inDatabase(env, dataDir, async ({ make }) => {
        const { nodeId, templateId, osType, username, monthlyPriceCents } = token
        const like = { nodeId, templateId, osType, username, monthlyPriceCents }
        return await make.token({ ...like, ipAddress })
      })
      await buy(tokenId)
      return id
    },

    /** Asks a process that dies at this moment; 0 is never. Returns the moments it reached. */
    async askAndDie(
      { path, method = 'POST', body, isReady }: DeadlyAsk,
      at: number,
    ): Promise<string[]> {
      const server = await startProcess(
        {
          ...env,
          NODE_OPTIONS: `--import=${DIE_AT}`,
          DIE_AT: String(at),
          DIE_NOTES: notes,
          DIE_BEGINS_WITH: 'instances jobs',
        },
        dataDir,
      )
      const call = callAs(server.url, buyer.cookie)
      if (isReady !== undefined) {
        await vi.waitFor(async () => expect((await call(isReady)).status).toBe(200), RECOVERED)
      }
      const answer = await call(path, method, body).catch(() => undefined)
      const refusal = answer?.status === 202 ? undefined : await answer?.text()
      expect(refusal).toBeUndefined()
      const idle = answer ? untilIdle(server.url).then(server.kill) : server.ended
      await Promise.race([server.ended, idle.catch(() => server.ended)])
      const moments = readFileSync(notes, 'utf8').trim().split('\n')
      rmSync(notes)
      return moments
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

    close: () => sim.close(),
  }
}

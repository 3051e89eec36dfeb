import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { eq, inArray } from 'drizzle-orm'
import { expect, vi } from 'vitest'
import { instances, tokens } from '../../src/server/db/schema/stock.ts'
import { jobSteps, jobs, leases } from '../../src/server/db/schema/work.ts'
import { UNFINISHED } from '../../src/server/jobs/job-store.ts'
import { callAs, inDatabase } from '../../src/server/testing/prepare.ts'
import { signIn, startProcess } from '../../src/server/testing/server-process.ts'
import { startTestSim } from '../../src/server/testing/with-sim.ts'
import { openPassword } from '../../src/server/tokens/token-rows.ts'

const DIE_AT = new URL('../../src/server/testing/die-at.ts', import.meta.url).href
const RECOVERED = { timeout: 120_000, interval: 250 }
const GUESTS: Record<string, string> = {
  'Ubuntu 22.04': 'Ubuntu 22.04.5 LTS',
  'Debian 12': 'Debian GNU/Linux 12',
}

type Env = Record<string, string>
export type ReinstallWorld = Awaited<ReturnType<typeof openReinstallWorld>>

/** One cluster, one client, one server that it bought, and a process that may be killed. */
export async function openReinstallWorld(given: Env, dataDir: string) {
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

  const buy = async () => {
    const server = await startProcess(env, dataDir)
    try {
      const call = callAs(server.url, buyer.cookie)
      expect((await call(`/api/marketplace/purchase/${token.tokenId}`, 'POST')).status).toBe(201)
      await untilIdle(server.url)
    } finally {
      await server.stop()
    }
  }

  /** Our rows of the server, and the cluster's. */
  const look = () =>
    inDatabase(env, dataDir, async ({ db, deps }) => {
      const [sold] = await db.select().from(tokens).where(eq(tokens.id, token.id))
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
        open: await db.select().from(jobs).where(inArray(jobs.state, UNFINISHED)),
        steps: await db.select().from(jobSteps),
        leases: await db.select().from(leases),
      }
    })

  const identityOf = ({ vm, row }: Awaited<ReturnType<typeof look>>) => {
    const { net0, ipconfig0, smbios1, description } = vm.config
    const { vmId, ipAddress, marker } = row
    return { vmId, ipAddress, marker, net0, ipconfig0, smbios1, description }
  }

  await buy()
  const first = await look()
  const identity = identityOf(first)
  const vms = sim.state.vms.size
  let osType = 'Ubuntu 22.04'

  return {
    /**
     * Reinstalls with the other system on a process that dies at this moment; 0 is never. Returns
     * the moments it reached.
     */
    async reinstallAndDie(at: number): Promise<string[]> {
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
      const wanted = osType === 'Debian 12' ? 'Ubuntu 22.04' : 'Debian 12'
      const body = { osType: wanted, confirm: String(identity.vmId) }
      const path = `/api/instances/${first.row.id}/reinstall`
      const answer = await callAs(server.url, buyer.cookie)(path, 'POST', body).catch(
        () => undefined,
      )
      expect(answer?.status ?? 202).toBe(202)
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

    /** An old or a new system runs, and our rows say which and how to sign in. */
    async expectWhole(where: string): Promise<string> {
      const found = await look()
      const { sold, row, vm, password } = found
      expect(identityOf(found), where).toEqual(identity)
      expect(sim.state.vms.size, where).toBe(vms)
      expect(vm.qmp, where).toBe('running')
      expect(row.status, where).toBe('running')
      expect(vm.guest.os, where).toBe(GUESTS[sold.osType])
      const login = { user: sold.username, password }
      expect(password, where).not.toBe('')
      expect({ user: vm.config.ciuser, password: vm.guest.password }, where).toEqual(login)
      expect(vm.guest.booted, where).toEqual(login)
      const own = [...sim.state.volumes.values()].filter(
        ({ vmid, volid }) => vmid === row.vmId && !volid.includes('cloudinit'),
      )
      expect(
        own.map(({ volid }) => volid),
        where,
      ).toEqual([vm.config.scsi0?.split(',')[0]])
      expect(sim.state.orphans(), where).toEqual([])
      expect([found.open, found.leases], where).toEqual([[], []])
      expect(JSON.stringify(found.steps), where).not.toContain('"login"')
      const before = osType
      osType = sold.osType
      return osType === before ? 'old' : 'new'
    },

    close: () => sim.close(),
  }
}

import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS, HOUR_MS } from '#shared/rules/time/durations.ts'
import { instances, tokens } from '../db/schema/stock.ts'
import { openFirewalls, PROTECTED, SSH } from '../provisioning/testing/firewalls.ts'
import type { SoldServer } from '../provisioning/testing/reinstalls.ts'
import { testApp, testClock } from '../testing/test-app.ts'

const RUNS = process.env.LONG === '1' ? 15 : 4
const TIMEOUT_MS = process.env.LONG === '1' ? 1_800_000 : 180_000

/** The firewall that a template of the cluster has: a clone starts with it. */
const LEFTOVERS = {
  options: { enable: 1, policy_in: 'DROP', dhcp: 1 },
  ipsets: { 'ipfilter-net0': { entries: [{ cidr: '203.0.113.0/24' }] } },
  rules: [{ type: 'out', action: 'ACCEPT', enable: 1, comment: 'left' }],
}

describe('a server that came to be and was changed on any path', async () => {
  const clock = testClock()
  const t = await testApp({ sim: true, clock })
  const our = await openFirewalls(t)

  /** Each by us, on this server. */
  const ACTS: Record<string, (server: SoldServer) => Promise<unknown>> = {
    reinstall: async (server) => {
      const { body } = await our.ask(server.user, server)
      await our.hand.runToEnd(body.jobId)
    },
    rollback: async (server) => {
      const snapshot = await our.take(server)
      t.sim.state.firewalls?.delete(server.vmId)
      await our.hand.runToEnd(await our.beginBack(server, snapshot.id))
      await our.askDelete(server.user, server, snapshot.id)
      await our.hand.runAll()
    },
    rules: async (server) => {
      await our.put(server.user, server, [{ direction: 'out', action: 'ACCEPT' }, SSH])
      await our.confirm(server.user, server)
    },
    lockout: (server) => our.put(server.user, server, [], 'DROP'),
    protect: () => our.shop.admin.call(api.protection.set).then(() => t.deps.background.idle()),
  }

  /** Each by someone else, or where we are not told: noticed by the next look. */
  const CHANGES: Record<string, (server: SoldServer) => unknown> = {
    'file removed': ({ vmId }) => t.sim.state.firewalls?.delete(vmId),
    'card unfiltered': (server) => {
      const { config } = our.vmOf(server)
      config.net0 = (config.net0 ?? '').replace(',firewall=1', '')
    },
    'moved by hand': (server) => {
      const vm = our.vmOf(server)
      vm.node = vm.node === 'pve1' ? 'pve2' : 'pve1'
    },
    're-addressed': ({ tokenId }) => {
      // The shop's next one: any other would some day be handed out by it.
      const { ipAddress } = our.shop.form()
      return t.db.update(tokens).set({ ipAddress }).where(eq(tokens.id, tokenId))
    },
    'datacenter off': () => Object.assign(t.sim.state, { firewallOptions: {} }),
    'datacenter on': () => Object.assign(t.sim.state, { firewallOptions: { enable: 1 } }),
    'rights taken': () =>
      t.sim.faults.add({ kind: '403', path: '/firewall/', message: 'Permission check failed' }),
    'rights given': () => t.sim.faults.clear(),
    'template with leftovers': () => {
      t.sim.state.firewalls ??= new Map()
      t.sim.state.firewalls.set(9004, structuredClone(LEFTOVERS))
    },
  }

  /** One that ran before us: never touched, always listed. */
  const adopted = async (): Promise<number> => {
    const vm = await our.shop.vm(100)
    const { id: ownerId } = await t.make.client()
    await t.db.update(instances).set({ ownerId }).where(eq(instances.id, vm.id))
    return vm.id
  }

  const listed = async () => {
    const query = { limit: 200 }
    const { unprotected } = await our.shop.admin.call(api.protection.get, { query })
    return new Set(unprotected.map(({ id }) => id))
  }

  const look = async () => {
    clock.advance(DAY_MS + HOUR_MS)
    await our.sweep()
    await our.hand.firewallSweep()
  }

  const everyOne = async (servers: readonly SoldServer[], after: string) => {
    const open = await listed()
    for (const server of servers) {
      if (open.has(server.id)) continue
      expect({ after, ...(await our.leaving(server)) }).toEqual({ after, ...PROTECTED })
    }
  }

  const names = [...Object.keys(ACTS), ...Object.keys(CHANGES), 'sell']
  const history = fc.array(fc.constantFrom(...names), { minLength: 3, maxLength: 7 })

  test(
    'sends only its own packets and no mail, or is listed as unprotected',
    async () => {
      const foreign = await adopted()
      await fc.assert(
        fc.asyncProperty(history, async (steps) => {
          t.sim.faults.clear()
          t.sim.state.firewallOptions = { enable: 1 }
          t.sim.state.firewalls?.delete(9004)
          const servers = [await our.server()]
          for (const step of steps) {
            const server = servers.at(-1)
            if (!server) throw new Error('nothing was sold')
            if (step === 'sell') servers.push(await our.server())
            await ACTS[step]?.(server)
            await CHANGES[step]?.(server)
            if (step in CHANGES) await look()
            await everyOne(servers, step)
          }
          t.sim.faults.clear()
          t.sim.state.firewallOptions = { enable: 1 }
          await look()
          // With everything allowed again, all of ours hold, and only they.
          const open = await listed()
          expect(servers.filter(({ id }) => open.has(id))).toEqual([])
          await everyOne(servers, 'the end')
          expect(open.has(foreign)).toBe(true)
        }),
        { numRuns: RUNS },
      )
    },
    TIMEOUT_MS,
  )

  test.each(names)('holds after: %s', async (step) => {
    t.sim.faults.clear()
    t.sim.state.firewallOptions = { enable: 1 }
    const server = await our.server()
    await ACTS[step]?.(server)
    await CHANGES[step]?.(server)
    if (step in CHANGES) await look()
    await everyOne([server, await our.server()], step)
  })
})

import { eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { arrives, passes } from '#pve-sim/packets/passes.ts'
import { api } from '#shared/api/index.ts'
import { firewalls } from '../../db/schema/firewalls.ts'
import { tokens } from '../../db/schema/stock.ts'
import type { Person, SimApp } from '../../testing/test-app.ts'
import type { SoldServer } from './reinstalls.ts'
import { openSnapshots } from './snapshots.ts'

export type SentRule = Record<string, unknown>
export const SSH: SentRule = { direction: 'in', action: 'ACCEPT', protocol: 'tcp', ports: '22' }
export const WEB: SentRule = { ...SSH, ports: '80,443', comment: 'my shop' }

/** What holds for every server: only its own packets leave it, and no mail. */
export const PROTECTED = { own: true, forged: false, mail: false }

/** Servers whose firewalls are tried, with sweeps that run when the test says so. */
export async function openFirewalls(t: SimApp) {
  const our = await openSnapshots(t)
  const { vmOf } = our

  const addressOf = async ({ tokenId }: SoldServer) => {
    const [token] = await t.db.select().from(tokens).where(eq(tokens.id, tokenId))
    return token?.ipAddress ?? ''
  }

  const put = (who: Person, { id }: SoldServer, rules: SentRule[], incoming?: 'ACCEPT' | 'DROP') =>
    t.as(who).attempt(api.firewall.set, {
      params: { id },
      body: { rules, ...(incoming && { incoming }) } as never,
    })
  const confirm = (who: Person, { id }: SoldServer) =>
    t.as(who).attempt(api.firewall.confirm, { params: { id } })

  return {
    ...our,
    addressOf,
    put,
    confirm,

    /** A server whose rules were confirmed. */
    async withRules(rules: SentRule[]): Promise<SoldServer> {
      const server = await our.server()
      expect((await put(server.user, server, rules)).status).toBe(200)
      expect((await confirm(server.user, server)).status).toBe(200)
      return server
    },

    sweep: () => our.hand.trialSweep(),

    serverRow: our.row,
    row: async ({ id }: SoldServer) => {
      const [row] = await t.db.select().from(firewalls).where(eq(firewalls.instanceId, id))
      if (!row) throw new Error('the server has no firewall')
      return row
    },
    file: ({ vmId }: SoldServer) => t.sim.state.firewalls?.get(vmId),
    /** What the cluster has, in its order. */
    rulesOf: ({ vmId }: SoldServer) =>
      (t.sim.state.firewalls?.get(vmId)?.rules ?? []).map(
        ({ type, action, dport, proto }) => `${type} ${action} ${dport ?? proto ?? 'all'}`,
      ),

    get: (who: Person, { id }: SoldServer) => t.as(who).call(api.firewall.get, { params: { id } }),
    /** Whether a new connection from outside reaches it. */
    reaches: (server: SoldServer, dport: number, source = '198.51.100.9') =>
      arrives(t.sim.state, vmOf(server), { source, proto: 'tcp', dport }),

    /** Whether packets with its own address, with a forged one, and mail leave it, on both backends. */
    async leaving(server: SoldServer) {
      const vm = vmOf(server)
      const mac = /([0-9A-F]{2}:){5}[0-9A-F]{2}/.exec(vm.config.net0 ?? '')?.[0] ?? ''
      const own = await addressOf(server)
      const can = (source: string, dport = 443) =>
        (['iptables', 'nftables'] as const).every((backend) =>
          passes(t.sim.state, vm, { mac, source, proto: 'tcp', dport }, backend),
        )
      return { own: can(own), forged: can('203.0.113.254'), mail: can(own, 25) }
    },
  }
}

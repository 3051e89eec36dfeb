import {
  type ClientFirewall,
  type ClientRule,
  OPEN_FIREWALL,
  TRIAL_SECONDS,
} from '#shared/rules/network/firewall-rules.ts'
import type { PoolRow } from '../addresses/pool-rows.ts'
import { sendsFrom } from '../addresses/sends-from.ts'
import type { firewalls } from '../db/schema/firewalls.ts'
import type { FirewallWish, WishedRule } from '../hypervisor/port/firewall.ts'
import type { InstanceRow } from '../inventory/vm/instance-row.ts'
import type { TokenRow } from '../tokens/token-rows.ts'

type FirewallRow = typeof firewalls.$inferSelect

export type Wished = {
  instance: InstanceRow
  token: TokenRow | null
  firewall: FirewallRow | null
  pools: PoolRow[]
  isMailOpen: boolean
  now: Date
}

/** Spam from one server has the addresses of all of them listed: port 25 is closed until asked for. */
const NO_MAIL: WishedRule = {
  direction: 'out',
  action: 'DROP',
  protocol: 'tcp',
  ports: '25',
  comment: 'mail is closed',
}

/** A rule and not the policy of the VM: the list that is read back says all of it. */
const NOTHING_ELSE: WishedRule = { direction: 'in', action: 'DROP', comment: 'all else' }

/**
 * The one list of rules of a server; undefined if it has no address of ours. Ours come first: the
 * first rule that names a packet decides, so no rule of a client opens what they close. The filter
 * of addresses is no rule: Proxmox asks it before all of them.
 */
export function wishOf(server: Wished): FirewallWish | undefined {
  const { instance, token, firewall, pools, isMailOpen, now } = server
  const addresses = sendsFrom({
    ipv4: token?.ipAddress ?? instance.ipAddress,
    ipv6: token?.ipv6Address ?? instance.ipv6Address,
    pools,
  })
  if (addresses.length === 0) return undefined
  const { rules, incoming } = firewall ? clientFirewall(firewall, now) : OPEN_FIREWALL
  return {
    addresses,
    rules: [
      ...(isMailOpen ? [] : [NO_MAIL]),
      ...rules.map(wishedRule),
      ...(incoming === 'DROP' ? [NOTHING_ELSE] : []),
    ],
  }
}

/** What the client wrote about a rule stays here: a cluster need not know it, nor give it back. */
const wishedRule = ({ comment: _, ...rule }: ClientRule): WishedRule => ({
  ...rule,
  comment: 'of its client',
})

export const TRIAL_MS = TRIAL_SECONDS * 1000

type Tried = Pick<FirewallRow, 'confirmed' | 'revertAt' | 'trial'>

/**
 * What counts at this moment. Rules whose time is over do not, whether or not the sweep has been
 * here. A clock that ran ahead leaves times in the future: those are over, too.
 */
export const clientFirewall = ({ trial, revertAt, confirmed }: Tried, now: Date): ClientFirewall =>
  trial !== null && revertAt !== null && isOpen(revertAt, now) ? trial : confirmed

const isOpen = (revertAt: Date, now: Date) =>
  revertAt > now && revertAt.getTime() <= now.getTime() + TRIAL_MS

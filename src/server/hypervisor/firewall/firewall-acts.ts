import type { VmRef } from '#proxmox/calls/vm-answers.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import type { FirewallOptions, FirewallRule } from '#proxmox/firewall/answers.ts'
import type { NewRule } from '#proxmox/firewall/rules.ts'
import { isProxmoxError } from '#proxmox/wire/errors.ts'
import { changeNetDevice, getProperty, readNetDevice } from '#proxmox/wire/property-string.ts'
import { AppError } from '#shared/errors.ts'
import type { FirewallFault } from '#shared/rules/network/firewall-faults.ts'
import type { FirewallWish } from '../port/firewall.ts'
import type { VmAddress } from '../port/hypervisor.ts'
import { follow } from '../vm/task-follow.ts'
import { requireSame, type VmAccess } from '../vm/vm-access.ts'
import { onLatestConfig } from '../vm-config/latest-config.ts'
import { IPFILTER, membersOf, OPTIONS, ruleOf } from './wanted-file.ts'

/** The firewall of a VM: what it may send from, and the rules of its owner. */
export function firewallActs(client: ProxmoxClient, access: VmAccess) {
  const { firewall } = client

  /** PVE writes the file of any id, so the config has to prove first that this VM is meant. */
  const ownCard = async (place: VmRef, vm: VmAddress) => {
    const config = await client.qemu.config(place)
    requireSame(config, vm)
    const net0 = config.values.net0 ?? ''
    const mac = readNetDevice(net0)?.mac
    if (mac === undefined) throw new AppError('INVALID_STATE', 'This VM has no network card net0.')
    return { mac, net0, isFiltered: getProperty(net0, 'firewall') === '1', digest: config.digest }
  }

  const membersNow = async (place: VmRef): Promise<string[]> => {
    const sets = await firewall.sets(place)
    if (!sets.includes(IPFILTER)) return []
    return (await firewall.members(place, IPFILTER)).map(({ cidr }) => cidr)
  }

  const setMembers = async (place: VmRef, wanted: string[]) => {
    if (!(await firewall.sets(place)).includes(IPFILTER)) await firewall.addSet(place, IPFILTER)
    const now = await membersNow(place)
    for (const cidr of wanted) {
      if (!now.includes(cidr)) await firewall.addMember(place, IPFILTER, cidr)
    }
    for (const cidr of now) {
      if (!wanted.includes(cidr)) await firewall.removeMember(place, IPFILTER, cidr)
    }
  }

  /**
   * The new rules are put in front of the old ones, which are removed only then: at no moment is
   * there neither. A rule put in front comes first, so the last one is sent first; switched off, so
   * that none acts before those above it. Then they are switched on from above.
   */
  const setRules = async (place: VmRef, wanted: NewRule[]) => {
    if (isSameList(await firewall.rules(place), wanted)) return
    for (const rule of wanted.toReversed()) {
      await firewall.addRule(place, { ...rule, enable: false })
    }
    for (const pos of wanted.keys()) await firewall.switchOnRule(place, pos)
    for (;;) {
      const rules = await firewall.rules(place)
      const last = rules.at(-1)
      if (!last || rules.length <= wanted.length) return
      await firewall.removeRule(place, { pos: last.pos, digest: last.digest })
    }
  }

  const filterCard = (place: VmRef, vm: VmAddress) =>
    onLatestConfig(async () => {
      const { net0, isFiltered, digest } = await ownCard(place, vm)
      if (isFiltered) return
      const set = { net0: changeNetDevice(net0, { firewall: '1' }) }
      await follow(client, await client.qemu.setConfig(place, { set, digest }))
    })

  const datacenterFaults = async (): Promise<FirewallFault[]> => {
    try {
      const { enable = 0, ebtables = 1 } = await firewall.clusterOptions()
      if (enable === 0) return ['datacenter-off']
      return ebtables === 0 ? ['frames-unfiltered'] : []
    } catch (error) {
      if (!isProxmoxError(error, 'forbidden')) throw error
      return ['datacenter-unseen']
    }
  }

  const faultsAt = async (place: VmRef, vm: VmAddress, wish: FirewallWish) => {
    const { mac, isFiltered } = await ownCard(place, vm)
    const isAsWished =
      isFiltered &&
      hasOptions(await firewall.options(place)) &&
      isSameText(await membersNow(place), membersOf(wish.addresses, mac)) &&
      isSameList(await firewall.rules(place), wish.rules.map(ruleOf))
    return [...(await datacenterFaults()), ...(isAsWished ? [] : (['differs'] as const))]
  }

  return {
    /** Reads all of it back, and says what does not hold; empty if it does. */
    setFirewall: (vm: VmAddress, wish: FirewallWish): Promise<FirewallFault[]> =>
      access.at(vm, async (place) => {
        const { mac } = await ownCard(place, vm)
        await setMembers(place, membersOf(wish.addresses, mac))
        await setRules(place, wish.rules.map(ruleOf))
        if (!hasOptions(await firewall.options(place))) await firewall.setOptions(place, OPTIONS)
        await filterCard(place, vm)
        return faultsAt(place, vm, wish)
      }),
    firewallFaults: (vm: VmAddress, wish: FirewallWish): Promise<FirewallFault[]> =>
      access.at(vm, (place) => faultsAt(place, vm, wish)),
  }
}

const hasOptions = (now: FirewallOptions): boolean =>
  Object.entries(OPTIONS).every(([name, wanted]) => {
    const value = now[name as keyof typeof OPTIONS]
    return value === (typeof wanted === 'boolean' ? Number(wanted) : wanted)
  })

const isSameText = (now: string[], wanted: string[]): boolean =>
  now.length === wanted.length && now.toSorted().every((text, at) => text === wanted[at])

const isSameList = (now: FirewallRule[], wanted: NewRule[]): boolean =>
  now.length === wanted.length &&
  wanted.every((rule, at) => {
    const { pos: _pos, digest: _digest, enable, ...there } = now[at] ?? {}
    const { enable: _on, ...here } = rule
    return enable === 1 && textOf(there) === textOf(here)
  })

/** The keys that have a value, in one order. */
const textOf = (rule: object): string =>
  JSON.stringify(
    Object.entries(rule)
      .filter(([, value]) => value !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )

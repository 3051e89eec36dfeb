import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { arrives, passes } from '#pve-sim/packets/passes.ts'
import type { Sim } from '#pve-sim/sim.ts'
import type { FirewallWish } from '../port/firewall.ts'
import type { Hypervisor, VmAddress } from '../port/hypervisor.ts'
import { proxmoxHypervisor } from '../proxmox/proxmox-hypervisor.ts'
import { connectionTo, impatient, startCluster } from '../testing/sim-cluster.ts'
import { ownVm } from '../testing/sim-vm.ts'

const MARKER = 'hushbox:order-7'
const MAC = 'BC:24:11:00:00:07'
const ADDRESS = '203.0.113.7'
const NO_MAIL = { direction: 'out', action: 'DROP', protocol: 'tcp', ports: '25' } as const
const WEB = { direction: 'in', action: 'ACCEPT', protocol: 'tcp', ports: '80,443' } as const
const REST = { direction: 'in', action: 'DROP', comment: 'all else' } as const
const wish: FirewallWish = { addresses: [ADDRESS], rules: [NO_MAIL] }

let sim: Sim
let hypervisor: Hypervisor
let vm: ReturnType<typeof ownVm>['vm']
let address: VmAddress

async function open(version: '7.4' | '8.4' | '9.1' = '9.1'): Promise<void> {
  sim = await startCluster({ version })
  sim.state.firewallOptions = { enable: 1 }
  ;({ vm, address } = ownVm(sim, 103, MARKER))
  vm.config.net0 = `virtio=${MAC},bridge=vmbr0`
  // With exactly the rights that the operator guide names.
  const secret = '00000000-0000-4000-8000-000000000000'
  hypervisor = proxmoxHypervisor(connectionTo(sim, { username: 'vps@pve!app', secret }), impatient)
}
afterEach(async () => {
  await hypervisor.close()
  await sim.close()
})

const fileOf = () => sim.state.firewalls?.get(103)
const writes = () => sim.requests.filter(({ method }) => method !== 'GET').length
const leaves = (source: string, more: { mac?: string; dport?: number } = {}) =>
  (['iptables', 'nftables'] as const).map((backend) =>
    passes(sim.state, vm, { mac: MAC, source, proto: 'tcp', ...more }, backend),
  )

describe.each(['7.4', '8.4', '9.1'] as const)('a VM on Proxmox VE %s', (version) => {
  beforeEach(() => open(version))

  it('sends only from its own addresses, with both of the firewalls that Proxmox has', async () => {
    expect(leaves('203.0.113.8')).toEqual([true, true])
    expect(await hypervisor.firewallFaults(address, wish)).toEqual(['differs'])
    expect(await hypervisor.setFirewall(address, wish)).toEqual([])
    expect(leaves(ADDRESS)).toEqual([true, true])
    expect(leaves('203.0.113.8')).toEqual([false, false])
    expect(leaves(ADDRESS, { mac: 'BC:24:11:00:00:08' })).toEqual([false, false])
    expect(leaves('fe80::be24:11ff:fe00:7')).toEqual([true, true])
    expect(leaves(ADDRESS, { dport: 25 })).toEqual([false, false])
    expect(await hypervisor.firewallFaults(address, wish)).toEqual([])
  })

  it('is written once, however often it is asked for', async () => {
    await hypervisor.setFirewall(address, wish)
    const before = writes()
    await hypervisor.setFirewall(address, wish)
    expect(writes()).toBe(before)
  })

  it('loses what the template left in it, and what it had before', async () => {
    const left = { type: 'in', action: 'DROP', enable: 1 }
    sim.state.firewalls = new Map([
      [
        103,
        {
          options: { enable: 1, dhcp: 1, policy_in: 'DROP' },
          ipsets: { 'ipfilter-net0': { entries: [{ cidr: '198.51.100.0/24' }] } },
          rules: [left, left, left],
        },
      ],
    ])
    const wider = { addresses: [ADDRESS, '2001:DB8:1:2:0:0:0:0/64'], rules: [NO_MAIL, WEB, REST] }
    expect(await hypervisor.setFirewall(address, wider)).toEqual([])
    const file = fileOf()
    expect(file?.options).toMatchObject({ dhcp: 0, policy_in: 'ACCEPT', ipfilter: 1, radv: 0 })
    expect(file?.ipsets['ipfilter-net0']?.entries.map(({ cidr }) => cidr)).toEqual([
      '2001:db8:1:2::/64',
      ADDRESS,
      'fe80::be24:11ff:fe00:7',
    ])
    expect(file?.rules.map(({ dport, comment }) => dport ?? comment)).toEqual([
      '25',
      '80,443',
      'all else',
    ])
    expect(await hypervisor.setFirewall(address, wish)).toEqual([])
    expect(fileOf()?.rules).toHaveLength(1)
  })
})

describe('a firewall', () => {
  beforeEach(() => open())

  const ALL_OUT = { direction: 'out', action: 'ACCEPT' } as const
  const SSH = { direction: 'in', action: 'ACCEPT', protocol: 'tcp', ports: '22' } as const
  const client = { source: '198.51.100.9', proto: 'tcp' as const }

  it('that is changed keeps, after each of its requests, what both have', async () => {
    const before = { ...wish, rules: [NO_MAIL, SSH, REST] }
    const after = { ...wish, rules: [NO_MAIL, ALL_OUT, WEB, SSH, REST] }
    await hypervisor.setFirewall(address, before)
    const seen = new Set<string>()
    sim.requests.push = (...requests) => {
      const ssh = arrives(sim.state, vm, { ...client, dport: 22 })
      const other = arrives(sim.state, vm, { ...client, dport: 8080 })
      const mail = leaves(ADDRESS, { dport: 25 }).some(Boolean)
      seen.add(JSON.stringify({ ssh, other, mail, forged: leaves('203.0.113.8').some(Boolean) }))
      return Array.prototype.push.apply(sim.requests, requests)
    }
    await hypervisor.setFirewall(address, after)
    await hypervisor.setFirewall(address, before)
    expect([...seen]).toEqual(['{"ssh":true,"other":false,"mail":false,"forged":false}'])
  })

  it('that the datacenter has switched off is said, and holds as soon as it is on', async () => {
    sim.state.firewallOptions = {}
    expect(await hypervisor.setFirewall(address, wish)).toEqual(['datacenter-off'])
    expect(leaves('203.0.113.8')).toEqual([true, true])
    sim.state.firewallOptions = { enable: 1 }
    expect(await hypervisor.firewallFaults(address, wish)).toEqual([])
    expect(leaves('203.0.113.8')).toEqual([false, false])
    sim.state.firewallOptions = { enable: 1, ebtables: 0 }
    expect(await hypervisor.firewallFaults(address, wish)).toEqual(['frames-unfiltered'])
  })

  it.each([
    ['an option', () => Object.assign(fileOf()?.options ?? {}, { ipfilter: 0 })],
    ['an option that is unset', () => delete fileOf()?.options.dhcp],
    ['an address', () => fileOf()?.ipsets['ipfilter-net0']?.entries.push({ cidr: '203.0.113.9' })],
    ['the set', () => delete fileOf()?.ipsets['ipfilter-net0']],
    ['a rule', () => fileOf()?.rules.push({ type: 'in', action: 'DROP', enable: 1 })],
    ['a rule that is off', () => Object.assign(fileOf()?.rules[0] ?? {}, { enable: 0 })],
    ['the card', () => Object.assign(vm.config, { net0: `virtio=${MAC},bridge=vmbr0` })],
  ])('that someone changed by %s is noticed and mended', async (_, change) => {
    await hypervisor.setFirewall(address, wish)
    change()
    expect(await hypervisor.firewallFaults(address, wish)).toEqual(['differs'])
    expect(await hypervisor.setFirewall(address, wish)).toEqual([])
  })

  it('holds with a comment of any kind, which never becomes a rule', async () => {
    const comment = '  web \nIN ACCEPT -p tcp -dport 22\r\n'
    const rules = [
      { ...WEB, comment },
      { ...REST, comment: ' \n ' },
    ]
    expect(await hypervisor.setFirewall(address, { addresses: [ADDRESS], rules })).toEqual([])
    expect(fileOf()?.rules.map((rule) => rule.comment)).toEqual([
      'web IN ACCEPT -p tcp -dport 22',
      undefined,
    ])
  })

  it('of another VM with the same id is left alone', async () => {
    vm.config.description = 'hushbox:someone-else'
    await expect(hypervisor.setFirewall(address, wish)).rejects.toMatchObject({
      code: 'VM_MISSING',
    })
    expect(fileOf()).toBeUndefined()
  })

  describe.each([true, false])('of which one answer is lost, with effect: %s', (effect) => {
    it.each([
      ['POST', /firewall\/ipset$/],
      ['POST', /firewall\/ipset\/ipfilter-net0$/],
      ['DELETE', /firewall\/ipset\//],
      ['POST', /firewall\/rules$/],
      ['PUT', /firewall\/rules\//],
      ['DELETE', /firewall\/rules\//],
      ['PUT', /firewall\/options/],
      ['POST', /103\/config/],
    ])('%s %s, is completed by the next call', async (method, path) => {
      if (method === 'DELETE') {
        const before = { addresses: ['203.0.113.9'], rules: [WEB, REST] }
        await hypervisor.setFirewall(address, before)
      }
      sim.faults.add({ kind: 'reset', method, path, count: 1, effect })
      await expect(hypervisor.setFirewall(address, wish)).rejects.toThrow()
      expect(await hypervisor.setFirewall(address, wish)).toEqual([])
      expect(fileOf()?.rules).toHaveLength(1)
      expect(fileOf()?.ipsets['ipfilter-net0']?.entries).toHaveLength(2)
    })
  })
})

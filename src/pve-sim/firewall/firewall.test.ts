import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Backend, linkLocalOf, passes } from '../packets/passes.ts'
import { type Harness, harness } from '../testing/harness.ts'

let pve: Harness
beforeAll(async () => {
  pve = await harness()
})
afterAll(() => pve.close())

const at = (vmid: number, rest: string) => `/nodes/pve1/qemu/${vmid}/firewall${rest}`
const answer = async (method: string, path: string, form?: Record<string, string>) => {
  const { status, reason, body } = await pve.call(method, path, form)
  return status === 200 ? 'done' : `${status} ${Object.values(body.errors ?? {})[0] ?? reason}`
}
const read = async (path: string) => (await pve.call('GET', path)).data

describe('options', () => {
  it('are what was set, as numbers, with a digest', async () => {
    expect(await read(at(100, '/options'))).toEqual({ digest: expect.stringMatching(/^\w{40}$/) })
    await pve.call('PUT', at(100, '/options'), { enable: '1', policy_in: 'ACCEPT', dhcp: '0' })
    expect(await read(at(100, '/options'))).toMatchObject({
      enable: 1,
      policy_in: 'ACCEPT',
      dhcp: 0,
    })
  })

  it('are removed by name', async () => {
    await pve.call('PUT', at(101, '/options'), { enable: '1', radv: '0' })
    expect(await answer('PUT', at(101, '/options'), { delete: 'enable,radv' })).toBe('done')
    expect(Object.keys(await read(at(101, '/options')))).toEqual(['digest'])
    expect(await answer('PUT', at(101, '/options'), { delete: 'colour' })).toBe(
      "400 no such option 'colour'",
    )
  })

  it('are refused when someone else has changed them', async () => {
    const { digest } = await read(at(100, '/options'))
    await pve.call('PUT', at(100, '/options'), { ndp: '1', digest: String(digest) })
    expect(await answer('PUT', at(100, '/options'), { ndp: '0', digest: String(digest) })).toBe(
      '500 detected modified configuration - file changed by other user? Try again.',
    )
  })

  it('of an id without a VM can be written too', async () => {
    expect(await answer('PUT', at(777, '/options'), { enable: '1' })).toBe('done')
    expect(await read(at(777, '/options'))).toMatchObject({ enable: 1 })
  })

  it('of the datacenter are set by an administrator', async () => {
    await pve.call('PUT', '/cluster/firewall/options', { delete: 'enable' })
    expect(await read('/cluster/firewall/options')).toEqual({ digest: expect.any(String) })
    await pve.call('PUT', '/cluster/firewall/options', { enable: '1' })
    expect(await read('/cluster/firewall/options')).toMatchObject({ enable: 1 })
  })
})

describe('an ipset', () => {
  const SET = at(102, '/ipset/ipfilter-net0')
  const members = async () => (await read(SET)).map(({ cidr }) => cidr)

  it('is made once', async () => {
    expect(await answer('GET', SET)).toBe("500 no such IPSet 'ipfilter-net0'")
    expect(await answer('POST', at(102, '/ipset'), { name: 'ipfilter-net0' })).toBe('done')
    expect(await answer('POST', at(102, '/ipset'), { name: 'ipfilter-net0' })).toBe(
      "400 IPSet 'ipfilter-net0' already exists",
    )
    expect(await read(at(102, '/ipset'))).toMatchObject([{ name: 'ipfilter-net0' }])
  })

  it('stores one address without its prefix, and networks without host bits, sorted', async () => {
    for (const cidr of ['203.0.113.5/32', '2001:db8:1:2::99/64', '198.51.100.77/24']) {
      expect(await answer('POST', SET, { cidr })).toBe('done')
    }
    expect(await members()).toEqual(['198.51.100.0/24', '2001:db8:1:2::/64', '203.0.113.5'])
  })

  it.each([
    ['203.0.113.5', "400 address '203.0.113.5' already exists"],
    ['0.0.0.0/0', '400 a zero prefix is not allowed in ipset entries'],
    ['300.1.1.1', '400 invalid format - value does not look like a valid IP address'],
  ])('refuses %s', async (cidr, words) => {
    expect(await answer('POST', SET, { cidr })).toContain(words)
  })

  it('removes only what is written as it is stored', async () => {
    expect(await answer('DELETE', `${SET}/${encodeURIComponent('203.0.113.5/32')}`)).toBe('done')
    expect(await members()).toContain('203.0.113.5')
    await pve.call('DELETE', `${SET}/203.0.113.5`)
    await pve.call('DELETE', `${SET}/${encodeURIComponent('2001:db8:1:2::/64')}`)
    expect(await members()).toEqual(['198.51.100.0/24'])
  })

  it('has a name in small letters, and holds no alias', async () => {
    expect(await answer('POST', at(102, '/ipset'), { name: 'Office' })).toBe('done')
    expect(await read(at(102, '/ipset'))).toMatchObject([
      { name: 'ipfilter-net0' },
      { name: 'office' },
    ])
    await pve.call('DELETE', at(102, '/ipset/office'))
    expect(await answer('POST', SET, { cidr: 'dc/office' })).toBe("500 no such alias 'office'")
  })

  it('goes when it is empty, or by force', async () => {
    expect(await answer('DELETE', SET)).toBe("500 IPSet 'ipfilter-net0' is not empty")
    expect(await answer('DELETE', `${SET}?force=1`)).toBe('done')
    expect(await read(at(102, '/ipset'))).toEqual([])
  })
})

describe('rules', () => {
  const RULES = at(103, '/rules')
  const add = (form: Record<string, string>) => answer('POST', RULES, { type: 'in', ...form })
  const comments = async () => (await read(RULES)).map(({ comment }) => comment)

  it('are put first, and are off unless said otherwise', async () => {
    await add({ action: 'ACCEPT', comment: 'one' })
    await add({ action: 'DROP', comment: 'two', enable: '1', pos: '5' })
    expect(await read(RULES)).toMatchObject([
      { pos: 0, comment: 'two', enable: 1, action: 'DROP' },
      { pos: 1, comment: 'one', enable: 0, action: 'ACCEPT' },
    ])
  })

  it('move, change and go by position', async () => {
    await add({ action: 'ACCEPT', comment: 'three', proto: 'tcp', dport: '80,443' })
    expect(await answer('PUT', `${RULES}/0`, { moveto: '3', comment: 'ignored' })).toBe('done')
    expect(await comments()).toEqual(['two', 'one', 'three'])
    await pve.call('PUT', `${RULES}/2`, { dport: '8000:8100', delete: 'comment' })
    expect(await read(`${RULES}/2`)).toMatchObject({ dport: '8000:8100', proto: 'tcp', pos: '2' })
    await pve.call('DELETE', `${RULES}/1`)
    expect(await comments()).toEqual(['two', undefined])
    expect(await answer('DELETE', `${RULES}/9`)).toBe('500 no rule at position 9')
  })

  it('are refused when the list has changed', async () => {
    const [{ digest } = { digest: '' }] = await read(RULES)
    await add({ action: 'ACCEPT' })
    expect(await answer('DELETE', `${RULES}/0?digest=${digest}`)).toContain('detected modified')
  })

  it('lose a port 0, and are read back from lines: a comment of two can be two rules', async () => {
    const one = at(105, '/rules')
    const form = { type: 'in', action: 'ACCEPT', proto: 'tcp', dport: '0' }
    await pve.call('POST', one, { ...form, comment: '  kept \nOUT DROP -p udp -dport 53' })
    expect(await read(one)).toMatchObject([
      { action: 'ACCEPT', comment: 'kept', proto: 'tcp', enable: 0 },
      { action: 'DROP', type: 'out', proto: 'udp', dport: '53', enable: 1 },
    ])
    expect((await read(one))[0]).not.toHaveProperty('dport')
  })

  it.each([
    [{ action: 'ALLOW' }, "400 unknown action 'ALLOW'"],
    [{ action: 'ACCEPT', type: 'forward' }, "400 invalid rule type 'forward' for rule_env 'vm'"],
    [{ action: 'ACCEPT', iface: 'eth0' }, "400 value does not match the regex pattern 'net\\d+'"],
    [{ action: 'ACCEPT', macro: 'Quake' }, "400 unknown macro 'Quake'"],
    [{ action: 'ACCEPT', proto: 'carrier' }, "400 invalid format - unknown protocol 'carrier'"],
    [{ action: 'ACCEPT', dport: '80' }, "400 missing property - 'dport' requires this property"],
    [{ action: 'ACCEPT', proto: 'esp', dport: '80' }, "400 protocol 'esp' does not support ports"],
    [
      { action: 'ACCEPT', proto: 'tcp', dport: '70000' },
      "400 invalid format - invalid port '70000'",
    ],
    [
      { action: 'ACCEPT', proto: 'tcp', dport: '90:80' },
      "400 invalid format - backwards range '90:80'",
    ],
    [{ action: 'ACCEPT', source: 'fe80::1', proto: 'icmp' }, '400 detected mixed ipv4/ipv6'],
    [{ action: 'ACCEPT', source: '+nobody' }, "400 no such ipset 'nobody'"],
    [{ action: 'ACCEPT', source: '1.2.3.4,fe80::1' }, '400 invalid format - detected mixed'],
    [{ action: 'ACCEPT', source: '198.51.100.77/24' }, '400 invalid format - invalid IP address'],
    [{ action: 'ACCEPT', proto: 'icmp', 'icmp-type': 'x' }, '400 invalid format - invalid icmp'],
  ])('refuse %j', async (form, words) => {
    expect(await add(form as Record<string, string>)).toContain(words)
  })
})

it('a clone starts with the rules of its template, and a destroyed VM leaves none', async () => {
  await pve.call('PUT', at(9004, '/options'), { enable: '1', dhcp: '1' })
  await pve.call('PUT', at(300, '/options'), { radv: '1' })
  expect(await pve.run('POST', '/nodes/pve1/qemu/9004/clone', { newid: '300' })).toBe('OK')
  expect(await read(at(300, '/options'))).toMatchObject({ enable: 1, dhcp: 1 })
  expect(await read(at(300, '/options'))).not.toHaveProperty('radv')
  await pve.run('DELETE', '/nodes/pve1/qemu/300')
  expect(Object.keys(await read(at(300, '/options')))).toEqual(['digest'])
})

describe.each<Backend>(['iptables', 'nftables'])('what leaves a guest, with %s', (backend) => {
  const MAC = 'BC:24:11:00:00:01'
  const ADDRESS = '203.0.113.5'
  const vm = () => {
    const found = pve.sim.state.vms.get(104)
    if (!found) throw new Error('no VM 104')
    return found
  }
  const send = (source: string, more: { mac?: string; dport?: number; isDhcp?: boolean } = {}) =>
    passes(pve.sim.state, vm(), { mac: MAC, source, proto: 'tcp', ...more }, backend)

  beforeAll(async () => {
    vm().config.net0 = `virtio=${MAC},bridge=vmbr0,firewall=1`
    await pve.call('PUT', '/cluster/firewall/options', { enable: '1' })
    await pve.call('POST', at(104, '/ipset'), { name: 'ipfilter-net0' })
    for (const cidr of [ADDRESS, linkLocalOf(MAC)]) {
      await pve.call('POST', at(104, '/ipset/ipfilter-net0'), { cidr })
    }
    const options = { enable: '1', ipfilter: '1', macfilter: '1', dhcp: '0', policy_out: 'ACCEPT' }
    await pve.call('PUT', at(104, '/options'), options)
  })

  it('is its own address only', () => {
    expect(send(ADDRESS)).toBe(true)
    expect(send('203.0.113.6')).toBe(false)
    expect(send(linkLocalOf(MAC))).toBe(true)
    expect(send('fe80::1')).toBe(false)
    expect(send(ADDRESS, { mac: 'BC:24:11:00:00:02' })).toBe(false)
    expect(send('203.0.113.6', { isDhcp: true })).toBe(false)
  })

  it('is everything, once one of the three switches is off', async () => {
    await pve.call('PUT', '/cluster/firewall/options', { enable: '0' })
    expect(send('203.0.113.6')).toBe(true)
    await pve.call('PUT', '/cluster/firewall/options', { enable: '1' })
    await pve.call('PUT', at(104, '/options'), { enable: '0' })
    expect(send('203.0.113.6')).toBe(true)
    await pve.call('PUT', at(104, '/options'), { enable: '1' })
    vm().config.net0 = `virtio=${MAC},bridge=vmbr0`
    expect(send('203.0.113.6')).toBe(true)
    vm().config.net0 = `virtio=${MAC},bridge=vmbr0,firewall=1`
    expect(send('203.0.113.6')).toBe(false)
  })

  it('is not what a rule drops', async () => {
    const rule = { type: 'out', action: 'DROP', proto: 'tcp', dport: '25', enable: '1' }
    await pve.call('POST', at(104, '/rules'), rule)
    expect([send(ADDRESS, { dport: 25 }), send(ADDRESS, { dport: 26 })]).toEqual([false, true])
  })
})

it('without ipfilter, nftables lets forged addresses out, and without dhcp=0 so does iptables', async () => {
  const vm = pve.sim.state.vms.get(104)
  if (!vm) throw new Error('no VM 104')
  const forged = { mac: 'BC:24:11:00:00:01', source: '203.0.113.6' }
  await pve.call('PUT', at(104, '/options'), { delete: 'ipfilter,dhcp' })
  expect(passes(pve.sim.state, vm, forged, 'nftables')).toBe(true)
  expect(passes(pve.sim.state, vm, forged, 'iptables')).toBe(false)
  expect(passes(pve.sim.state, vm, { ...forged, isDhcp: true }, 'iptables')).toBe(true)
})

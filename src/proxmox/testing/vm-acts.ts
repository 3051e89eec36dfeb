import { expect } from 'vitest'
import type { ProxmoxClient } from '../client.ts'
import { isProxmoxError } from '../wire/errors.ts'
import { changeNetDevice, getProperty } from '../wire/property-string.ts'
import { failureOf } from './failure-of.ts'

export type Vm = { node: string; vmid: number }
type Done = (task: Promise<string | undefined>) => Promise<void>

/** The firewall of a VM, as our client reads and writes it. */
export async function guard({ firewall }: ProxmoxClient, vm: Vm): Promise<void> {
  await firewall.clusterOptions()
  await firewall.setOptions(vm, { enable: true, dhcp: false, policy_in: 'ACCEPT' })
  expect(await firewall.options(vm)).toMatchObject({ enable: 1, dhcp: 0, policy_in: 'ACCEPT' })

  await firewall.addSet(vm, 'ipfilter-net0')
  expect(await failureOf(firewall.addSet(vm, 'ipfilter-net0'))).toMatchObject({ kind: 'invalid' })
  for (const cidr of ['203.0.113.5/32', '2001:db8:1:2::99/64']) {
    await firewall.addMember(vm, 'ipfilter-net0', cidr)
  }
  const members = async () => (await firewall.members(vm, 'ipfilter-net0')).map(({ cidr }) => cidr)
  expect(await members()).toEqual(['2001:db8:1:2::/64', '203.0.113.5'])
  // Written otherwise than it is stored, it stays; without an error.
  await firewall.removeMember(vm, 'ipfilter-net0', '203.0.113.5/32')
  expect(await members()).toHaveLength(2)
  await firewall.removeMember(vm, 'ipfilter-net0', '2001:db8:1:2::/64')
  expect(await members()).toEqual(['203.0.113.5'])

  const rule = { action: 'ACCEPT', enable: true, proto: 'tcp' } as const
  await firewall.addRule(vm, { ...rule, type: 'in', dport: '22', comment: 'second' })
  await firewall.addRule(vm, { ...rule, type: 'out', dport: '80,443', source: '203.0.113.5' })
  const rules = await firewall.rules(vm)
  expect(rules).toMatchObject([
    { pos: 0, type: 'out', enable: 1, dport: '80,443', source: '203.0.113.5' },
    { pos: 1, type: 'in', enable: 1, dport: '22', comment: 'second' },
  ])
  const digest = rules[0]?.digest
  await firewall.removeRule(vm, { pos: 0, digest })
  const late = firewall.removeRule(vm, { pos: 0, digest })
  expect(await failureOf(late)).toEqual({ kind: 'changed-meanwhile' })
  const hostBits = firewall.addRule(vm, { ...rule, type: 'in', source: '198.51.100.77/24' })
  expect(await failureOf(hostBits)).toMatchObject({ kind: 'invalid' })
  expect(await firewall.rules(vm)).toHaveLength(1)
  await firewall.removeSet(vm, 'ipfilter-net0')
  expect(await firewall.sets(vm)).toEqual([])
}

/** The speed of a VM's card. */
export async function limit(client: ProxmoxClient, vm: Vm, done: Done): Promise<void> {
  const net0 = async () => (await client.qemu.config(vm)).values.net0 ?? ''
  const before = await net0()
  if (before === '') return
  const limited = changeNetDevice(before, { rate: '12.5' })
  await done(client.qemu.setConfig(vm, { set: { net0: limited } }))
  expect(getProperty(await net0(), 'rate')).toBe('12.5')
  const wrong = client.qemu.setConfig(vm, {
    set: { net0: changeNetDevice(before, { rate: 'fast' }) },
  })
  expect(await failureOf(wrong)).toMatchObject({ kind: 'invalid' })
  await done(client.qemu.setConfig(vm, { set: { net0: before } }))
  expect(getProperty(await net0(), 'rate')).toBeUndefined()
}

/** Snapshots of a running VM, which a rollback stops. */
export async function keep(client: ProxmoxClient, vm: Vm, done: Done): Promise<void> {
  const { qemu } = client
  const take = (name: string) => qemu.takeSnapshot(vm, { name, description: 'Grüße\nzwei' })
  const named = async () => (await qemu.snapshots(vm)).map(({ name }) => name)
  await done(take('first'))
  expect(await qemu.snapshots(vm)).toMatchObject([{ name: 'first', description: 'Grüße\nzwei' }])
  expect(await failureOf(done(take('first')))).toMatchObject({
    kind: 'task-failed',
    exitStatus: "snapshot name 'first' already used",
  })
  expect(await failureOf(take('current'))).toMatchObject({ kind: 'refused' })
  expect(await failureOf(take('x y'))).toMatchObject({ kind: 'invalid' })
  const { values } = await qemu.snapshotConfig(vm, 'first')
  // Its own description: our marker is in the VM's.
  expect(values).toMatchObject({ cores: '2', description: 'Grüße\nzwei' })
  const { description } = (await qemu.config(vm)).values
  await done(qemu.setConfig(vm, { set: { tags: 'since' } }))
  await done(qemu.rollBack(vm, 'first'))
  expect((await qemu.status(vm)).status).toBe('stopped')
  const after = (await qemu.config(vm)).values
  expect(after).toMatchObject({ parent: 'first', description })
  expect(after.tags).toBe(values.tags)
  expect(await failureOf(done(qemu.rollBack(vm, 'nothing')))).toMatchObject({
    kind: 'task-failed',
    exitStatus: "snapshot 'nothing' does not exist",
  })
  await done(qemu.deleteSnapshot(vm, { name: 'first' }))
  expect(await named()).toEqual([])
  const gone = done(qemu.deleteSnapshot(vm, { name: 'first', isForced: true }))
  expect(await failureOf(gone)).toMatchObject({ kind: 'task-failed' })
  await done(qemu.start(vm))
  await patiently(() => done(qemu.setConfig(vm, { set: { cores: 2 } })))
}

/**
 * What cleans up after a VM that stopped takes one that was started at once for it, and holds its
 * lock for 30 s: tasks wait 10 s for that, and fail.
 */
async function patiently(act: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act()
    } catch (error) {
      const failure = isProxmoxError(error) ? error.failure : undefined
      const isLocked = failure?.kind === 'task-failed' && failure.because.kind === 'locked'
      if (!isLocked || attempt === 5) throw error
    }
  }
}

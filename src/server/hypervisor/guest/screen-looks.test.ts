import { afterAll, afterEach, expect, onTestFinished, test } from 'vitest'
import type { ScreenKind } from '#pve-sim/state/types.ts'
import { proxmoxHypervisor } from '../proxmox/proxmox-hypervisor.ts'
import { connectionTo, impatient, soon, startCluster } from '../testing/sim-cluster.ts'
import { ownVm } from '../testing/sim-vm.ts'

const sim = await startCluster()
const hypervisor = proxmoxHypervisor(connectionTo(sim), { ...impatient, lookMs: 5000 })
const { vm, address } = ownVm(sim, 100, 'hushbox:screen')
afterEach(() => sim.faults.clear())
afterAll(async () => {
  await hypervisor.close()
  await sim.close()
})

const openScreens = () =>
  [...sim.state.tasks.values()].filter(({ type, endtime }) => type === 'vncproxy' && !endtime)

const lookAt = (screen: ScreenKind | undefined) => {
  if (screen) vm.guest.screen = screen
  else delete vm.guest.screen
  return hypervisor.lookAtScreen(address)
}

test.each([
  [undefined, { width: 640, height: 400 }],
  ['no-disk', { width: 720, height: 400, colours: 2 }],
  ['one-colour', { width: 800, height: 600, colours: 1, commonest: 1 }],
  ['logo', { width: 800, height: 600, colours: 3 }],
] as const)('of a screen with %s it tells size and colours', async (screen, facts) => {
  expect(await lookAt(screen)).toMatchObject(facts)
})

test('of a graphical system it tells many colours, and none that fills the screen', async () => {
  const { colours, commonest, sketch } = await lookAt('system')
  expect(colours).toBeGreaterThan(500)
  expect(commonest).toBeLessThan(0.1)
  expect((await lookAt('system')).sketch).toBe(sketch)
  expect((await lookAt('splash')).sketch).not.toBe(sketch)
})

test('every look ends its connection', async () => {
  await lookAt('logo')
  await lookAt('gigantic').catch(() => undefined)
  await expect.poll(openScreens, soon).toEqual([])
})

test('a picture of gigantic size is refused before it is sent', async () => {
  await expect(lookAt('gigantic')).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    cause: { message: 'a picture of 65535 by 65535 is not read' },
  })
})

test('the screen of another viewer stays open', async () => {
  delete vm.guest.screen
  const { stream } = await hypervisor.openConsole(address)
  onTestFinished(() => void stream.destroy())
  const received: Buffer[] = []
  stream.on('data', (bytes: Buffer) => received.push(bytes))
  await expect.poll(() => received.length, soon).toBeGreaterThan(0)
  let hasEnded = false
  stream.once('end', () => {
    hasEnded = true
  })
  await lookAt('system')
  // A second look comes after anything the first one did to the other viewer.
  await lookAt('system')
  await expect.poll(openScreens, soon).toHaveLength(1)
  expect(hasEnded).toBe(false)
})

test('an account without the right to consoles is told so', async () => {
  sim.faults.add({
    kind: '403',
    path: /vncproxy/,
    message: 'Permission check failed (/vms/100, VM.Console)',
  })
  await expect(lookAt('system')).rejects.toMatchObject({ code: 'CLUSTER_REFUSED' })
})

test('a VM that is not ours is not looked at', async () => {
  const other = { ...address, marker: 'hushbox:another' }
  sim.requests.length = 0
  await expect(hypervisor.lookAtScreen(other)).rejects.toMatchObject({ code: 'VM_MISSING' })
  expect(sim.requests.filter(({ path }) => path.includes('vncproxy'))).toEqual([])
})

test('a VM that is off has no screen', async () => {
  const { address: off } = ownVm(sim, 103, 'hushbox:off')
  await expect(hypervisor.lookAtScreen(off)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})

test('a screen that says nothing is left when its time is over', async () => {
  const quick = proxmoxHypervisor(connectionTo(sim), { ...impatient, lookMs: 300 })
  onTestFinished(() => quick.close())
  sim.faults.add({ kind: 'black-hole', path: /vncwebsocket/ })
  vm.guest.screen = 'system'
  await expect(quick.lookAtScreen(address)).rejects.toMatchObject({ code: 'CLUSTER_UNAVAILABLE' })
})

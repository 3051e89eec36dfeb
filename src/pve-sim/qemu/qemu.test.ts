import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest'
import { type Harness, harness } from '../testing/harness.ts'
import { openSocket, type VncProxy, viewer } from '../testing/viewer.ts'
import { blankDisk, configure, DISK_BYTES } from './boot-sector.ts'
import { findQemu } from './find-qemu.ts'
import { lookAt, processesOf } from './testing/outside.ts'

const qemu = await findQemu()
const where = qemu ? `QEMU ${qemu.version}` : 'QEMU, which is not installed here'
const PATIENT = { timeout: 10_000, interval: 20 }

test('a disk begins with a bootable sector that contains the name', () => {
  const disk = blankDisk()
  configure(disk, { hostname: `${'long'.repeat(20)}`, hearsPowerButton: false })
  expect(disk.length).toBe(DISK_BYTES)
  expect(disk.readUInt16LE(510)).toBe(0xaa55)
  expect(disk.indexOf('long')).toBeGreaterThan(0)
  expect(disk[0x1a0 + 63]).toBe(0)
})

test('a missing QEMU is not an error', async () => {
  expect(await findQemu('no-such-program')).toBeUndefined()
})

test('no process runs and no folder is created unless requested', async () => {
  const plain = await harness()
  expect(plain.sim.qemu).toBeUndefined()
  await plain.close()
})

describe.skipIf(!qemu)(`VMs on ${where}`, { timeout: 20_000 }, () => {
  let pve: Harness
  let folder = ''
  beforeAll(async () => {
    pve = await harness({ qemu: 3 })
    folder = pve.sim.qemu?.folder ?? ''
  })
  afterAll(async () => {
    await pve.close()
    expect(processesOf(folder)).toEqual([])
    expect(existsSync(folder)).toBe(false)
  })

  const power = (vmid: number, act: string, form = {}) =>
    pve.run('POST', `/nodes/${nodeOf(vmid)}/qemu/${vmid}/status/${act}`, form)
  const nodeOf = (vmid: number) => pve.sim.state.vms.get(vmid)?.node ?? ''
  const statusOf = (vmid: number) => pve.sim.state.vms.get(vmid)?.qmp
  const shows = (vmid: number, text: string | RegExp) =>
    lookAt({ folder, vmid }, (vm) =>
      vi.waitFor(async () => expect(await vm.text()).toMatch(text), PATIENT),
    )
  const command = (vmid: number, name: string) => lookAt({ folder, vmid }, (vm) => vm.command(name))
  /** The screen as QEMU itself sees it, in the viewer's byte order. */
  async function dump(vmid: number): Promise<Buffer> {
    const filename = join(folder, 'screen.ppm')
    await lookAt({ folder, vmid }, (vm) => vm.command('screendump', { filename }))
    const rgb = readFileSync(filename).subarray('P6\n720 400\n255\n'.length)
    const out = Buffer.alloc((rgb.length / 3) * 4)
    for (let n = 0; n < rgb.length / 3; n += 1) out.writeUIntLE(rgb.readUIntBE(n * 3, 3), n * 4, 3)
    return out
  }
  const isRunning = (vmid: number) =>
    processesOf(folder).some((line) => line.includes(`${vmid}.vnc`))

  async function look(vmid: number) {
    const at = { node: nodeOf(vmid), vmid }
    const path = `/nodes/${at.node}/qemu/${vmid}/vncproxy`
    const { data } = await pve.call('POST', path, { websocket: '1' })
    const proxy = data as unknown as VncProxy
    return await viewer(openSocket(pve.sim, at, proxy, pve.admin), proxy.password ?? '')
  }

  it('start, echo keys typed over VNC, react to the power button, and exit', async () => {
    expect(await power(103, 'start')).toBe('OK')
    const name = pve.sim.state.vms.get(103)?.config.name
    await shows(103, new RegExp(`^${name}\n.*Start 1\n\n${name}#$`))
    const view = await look(103)
    expect(view.hello).toMatchObject({ result: 0, width: 720, height: 400 })
    view.type('hello there\b\b')
    await shows(103, /# hello the$/)
    expect(await power(103, 'suspend')).toBe('OK')
    await vi.waitFor(async () => {
      await view.update(false)
      expect(view.screen.equals(await dump(103))).toBe(true)
    }, PATIENT)
    expect(await power(103, 'resume')).toBe('OK')
    view.close()
    expect(await power(103, 'shutdown')).toBe('OK')
    expect([statusOf(103), isRunning(103)]).toEqual(['stopped', false])
  })

  it('keep their disk, boot again at a reset, and stand still while paused', async () => {
    expect(await power(103, 'start')).toBe('OK')
    await shows(103, /Start 2/)
    expect(await power(103, 'reset')).toBe('OK')
    await shows(103, /Start 3/)
    expect(await power(103, 'suspend')).toBe('OK')
    expect(await command(103, 'query-status')).toMatchObject({ status: 'paused' })
    expect(await power(103, 'resume')).toBe('OK')
    expect(await command(103, 'query-status')).toMatchObject({ status: 'running' })
    expect(await power(103, 'stop')).toBe('OK')
    expect(isRunning(103)).toBe(false)
  })

  it('are cloned by copying the disk, and learn their new name', async () => {
    const path = `/nodes/${nodeOf(103)}/qemu/103/clone`
    expect(await pve.run('POST', path, { newid: '500', name: 'offspring', full: '1' })).toBe('OK')
    expect(await power(500, 'start')).toBe('OK')
    await shows(500, /^offspring\n.*Start 4/)
    expect(await power(500, 'stop')).toBe('OK')
  })

  it('boot from an imported disk, and from their own again once it is back', async () => {
    const path = `/nodes/${nodeOf(500)}/qemu/500/config`
    const old = pve.sim.state.vms.get(500)?.config.scsi0?.split(',')[0] ?? ''
    const copy = 'local-lvm:0,import-from=ceph-vm:base-9004-disk-0'
    expect(await pve.run('POST', path, { scsi0: copy })).toBe('OK')
    expect(await power(500, 'start')).toBe('OK')
    await shows(500, /^offspring\n.*Start 1/)
    expect(await power(500, 'stop')).toBe('OK')
    expect(await pve.run('POST', path, { scsi0: old })).toBe('OK')
    expect(await pve.run('POST', path, { delete: 'unused0' })).toBe('OK')
    expect(await power(500, 'start')).toBe('OK')
    await shows(500, /^offspring\n.*Start 5/)
    expect(await power(500, 'stop')).toBe('OK')
  })

  it('stay up while the guest ignores the button, and are killed when forced', async () => {
    const vm = pve.sim.state.vms.get(103)
    if (!vm) throw new Error('the demo has no VM 103')
    const before = { ...vm.guest }
    Object.assign(vm.guest, { ignoresAcpi: true, agent: 'none' })
    expect(await power(103, 'start')).toBe('OK')
    await shows(103, /#$/)
    await command(103, 'system_powerdown')
    expect(await power(103, 'shutdown', { timeout: '3' })).toMatch(/got timeout/)
    expect(isRunning(103)).toBe(true)
    expect(await power(103, 'shutdown', { timeout: '3', forceStop: '1' })).toBe('OK')
    expect(isRunning(103)).toBe(false)
    Object.assign(vm.guest, before)
  })

  it('count as stopped when their process dies, and their process dies when they are stopped', async () => {
    await power(103, 'start')
    await command(103, 'quit')
    await vi.waitFor(() => expect(statusOf(103)).toBe('stopped'), PATIENT)
    await power(103, 'start')
    expect(isRunning(103)).toBe(true)
    pve.sim.state.crashVm(103)
    await vi.waitFor(() => expect(isRunning(103)).toBe(false), PATIENT)
  })

  it('are simulated beyond the limit', async () => {
    const running = [100, 101, 102, 105]
    const views = []
    for (const vmid of running) {
      const vm = pve.sim.state.vms.get(vmid)
      if (vm) Object.assign(vm, { qmp: 'running' })
      views.push(await look(vmid))
    }
    expect(views.map(({ hello }) => hello.result)).toEqual([0, 0, 0, 0])
    expect(running.map(isRunning)).toEqual([true, true, true, false])
    for (const view of views) view.close()
  })
})

describe.skipIf(!qemu)(`no process is left behind by ${where}`, { timeout: 20_000 }, () => {
  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)('after %s', async (signal) => {
    const data = mkdtempSync(join(tmpdir(), 'hushbox-orphans-'))
    const child = spawn(process.execPath, [join(import.meta.dirname, '../main.ts')], {
      env: {
        ...process.env,
        SIM_PORT: '0',
        SIM_QEMU: '2',
        SIM_LINUX: '0',
        SIM_STATE: join(data, 'state.json'),
        SIM_TASK_MS: '5',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      let said = ''
      child.stdout.on('data', (text) => {
        said += text
      })
      const find = async (pattern: RegExp) =>
        await vi.waitFor(() => {
          const found = pattern.exec(said)?.[1]
          if (!found) throw new Error(`not said yet: ${said}`)
          return found
        }, PATIENT)
      const folder = await find(/control sockets in (\S+);/)
      const url = await find(/(https:\S+)\n/)
      const token = await find(/API token: (\S+)/)
      await startVm(url, token)
      await vi.waitFor(() => expect(processesOf(folder).length).toBeGreaterThan(0), PATIENT)
      const ended = new Promise((done) => child.once('exit', done))
      child.kill(signal)
      await ended
      await vi.waitFor(() => expect(processesOf(folder)).toEqual([]), PATIENT)
      rmSync(folder, { recursive: true, force: true })
    } finally {
      child.kill('SIGKILL')
      rmSync(data, { recursive: true, force: true })
    }
  })
})

async function startVm(url: string, token: string): Promise<void> {
  const { request } = await import('node:https')
  await new Promise<void>((resolve, reject) => {
    const options = {
      method: 'POST',
      rejectUnauthorized: false,
      headers: { authorization: `PVEAPIToken=${token}` },
    }
    const path = `${url}/api2/json/nodes/pve1/qemu/103/status/start`
    const outgoing = request(path, options, (answer) => {
      answer.resume()
      if (answer.statusCode === 200) resolve()
      else reject(new Error(`${answer.statusCode} ${answer.statusMessage}`))
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

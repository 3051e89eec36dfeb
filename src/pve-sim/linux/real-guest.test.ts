import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { lookAt } from '../qemu/testing/outside.ts'
import { harness } from '../testing/harness.ts'
import { canEnterGuests, sshInto } from './testing/ssh-into.ts'

/** Several starts of a real guest take minutes in software emulation: part of the long figures. */
const isWanted = process.env.LONG === '1'
const PATIENT = { timeout: 300_000, interval: 1000 }
const ADDRESS = '127.77.0.203'
const VMID = 103

const folder = mkdtempSync(join(tmpdir(), 'hushbox-guest-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.skipIf(!isWanted || !(await canEnterGuests()))(
  'a real guest keeps its disk over restarts, and its power state is the truth',
  { timeout: 1_200_000 },
  async () => {
    const { publicKey, ssh } = sshInto(folder, ADDRESS)
    const answers = () => vi.waitFor(() => ssh('robin', 'hostname'), PATIENT)

    const state = { stateFile: join(folder, 'cluster.json'), qemu: 2, linux: 1 }
    let pve = await harness(state)
    const vm = () => pve.sim.state.vms.get(VMID)
    const power = (act: string) => pve.run('POST', `/nodes/pve1/qemu/${VMID}/status/${act}`)
    Object.assign(vm()?.config ?? {}, {
      ciuser: 'robin',
      sshkeys: encodeURIComponent(publicKey),
      ipconfig0: `ip=${ADDRESS}/24,gw=127.77.0.1`,
    })
    expect(await power('start')).toBe('OK')
    expect(await answers()).toBe('staging\n')
    expect(await ssh('robin', 'echo kept > note; . /etc/os-release; echo $ID')).toBe('debian\n')
    // Neither the machine nor anything beyond it can be reached from inside.
    const reach = `nc -w 5 10.0.2.2 ${pve.sim.port} </dev/null`
    expect(await ssh('robin', `${reach} && echo reached || echo nothing`)).toBe('nothing\n')
    await lookAt({ folder: pve.sim.qemu?.folder ?? '', vmid: VMID }, (guest) =>
      vi.waitFor(async () => expect(await guest.text()).toContain('staging login:'), PATIENT),
    )

    // The button, as the cluster presses it; then a start with the same host key.
    await ssh('root', 'until pidof acpid; do sleep 1; done')
    expect(await power('shutdown')).toBe('OK')
    expect(vm()?.qmp).toBe('stopped')
    expect(await power('start')).toBe('OK')
    expect(await answers()).toBe('staging\n')
    expect(await ssh('robin', 'cat note')).toBe('kept\n')

    // The simulator ends, and with it the guest; with the next one it is back.
    await pve.close()
    await expect(ssh('robin', 'true')).rejects.toThrow('Connection refused')
    pve = await harness(state)
    expect(await answers()).toBe('staging\n')

    await ssh('root', 'poweroff')
    await vi.waitFor(() => expect(vm()?.qmp).toBe('stopped'), PATIENT)
    await pve.close()
  },
)

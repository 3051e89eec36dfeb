import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const DEVICE = '/dev/kvm'
const TIMEOUT_MS = 15_000

/** mov dx, 0x604; mov ax, 0x2000; out dx, ax; hlt: switches the machine off. */
const SWITCH_OFF = [0xba, 0x04, 0x06, 0xb8, 0x00, 0x20, 0xef, 0xf4]

function offSector(): Buffer {
  const disk = Buffer.alloc(1024 * 1024)
  disk.set(SWITCH_OFF)
  disk.writeUInt16LE(0xaa55, 510)
  return disk
}

/** Whether QEMU ends by itself, in time and without an error. */
async function endsWell(program: string, options: string[]): Promise<boolean> {
  const child = spawn(program, options, { stdio: 'ignore' })
  const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(undefined))
    child.once('exit', resolve)
  })
  clearTimeout(timer)
  return code === 0
}

/** Whether a VM with this accelerator reaches its first program and is off afterwards. */
export async function runsGuest(program: string, accelerator: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'hushbox-kvm-'))
  try {
    const disk = join(folder, 'disk')
    await writeFile(disk, offSector())
    const machine = ['-nodefaults', '-no-user-config', '-machine', 'pc', '-m', '8']
    const rest = ['-accel', accelerator, '-display', 'none', '-nic', 'none']
    const drive = ['-drive', `file=${disk.replaceAll(',', ',,')},format=raw,if=ide`]
    return await endsWell(program, [...machine, ...rest, ...drive])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function isReachable(): boolean {
  try {
    accessSync(DEVICE, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Whether a Linux kernel gets through its start: without a disk it panics, and QEMU ends. A KVM
 * inside a VM may run a boot sector and yet hang while it boots a kernel.
 */
const bootsKernel = (program: string, kernel: string): Promise<boolean> =>
  endsWell(program, [
    ...['-nodefaults', '-no-user-config', '-machine', 'pc', '-m', '128', '-no-reboot'],
    ...['-accel', 'kvm', '-cpu', 'host', '-display', 'none', '-nic', 'none'],
    ...['-kernel', kernel, '-append', 'quiet panic=-1'],
  ])

export type Accelerator = 'kvm' | 'tcg'

/** KVM where it really runs guests (a container may have the device and not the right), else not. */
export async function findAccelerator(program: string, kernel: string): Promise<Accelerator> {
  const runs =
    isReachable() && (await runsGuest(program, 'kvm')) && (await bootsKernel(program, kernel))
  return runs ? 'kvm' : 'tcg'
}

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findQemu } from '#pve-sim/qemu/find-qemu.ts'
import type { PictureFacts } from '../../rfb/picture-facts.ts'
import { readPicture } from '../../rfb/read-picture.ts'
import { signInToScreen } from '../../rfb/rfb-handshake.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import { showsSystem } from '../proof/watch-picture.ts'

const qemu = await findQemu()
// Debian: ovmf.
const OVMF = '/usr/share/OVMF/OVMF_CODE_4M.fd'
const UEFI = ['-machine', 'q35', '-drive', `if=pflash,format=raw,readonly=on,file=${OVMF}`]
const HARDWARE = ['-nodefaults', '-no-user-config', '-vga', 'std', '-m', '256', '-accel', 'tcg']
const BUSY_MACHINE = { timeout: 170_000, interval: 500 }

/** A machine without a disk. */
function startMachine(firmware: string[]) {
  const folder = tempFolder('screen')
  const socket = join(folder, 'vnc')
  const child = spawn(qemu?.program ?? '', [...HARDWARE, ...firmware, '-vnc', `unix:${socket}`], {
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill())
  return socket
}

const connected = (path: string) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = connect(path, () => resolve(socket)).on('error', reject)
  })

/** One that the screen changes its size under is never whole: it is given up, as in the product. */
async function look(path: string): Promise<PictureFacts> {
  const socket = await connected(path)
  socket.setTimeout(5000, () => socket.destroy())
  try {
    await signInToScreen(socket, '')
    return await readPicture(socket)
  } finally {
    socket.destroy()
  }
}

const BLANK: PictureFacts = { width: 640, height: 480, colours: 1, commonest: 1, sketch: '' }

test.skipIf(!qemu)(
  'SeaBIOS without a disk shows no system, and another viewer of QEMU stays connected',
  { timeout: 180_000 },
  async () => {
    const path = startMachine([])
    const sizeOf = async () => (await look(path).catch(() => BLANK)).width
    await expect.poll(sizeOf, BUSY_MACHINE).toBe(720)
    const viewer = await connected(path)
    onTestFinished(() => void viewer.destroy())
    await signInToScreen(viewer, '')
    await readPicture(viewer)
    expect(showsSystem(await look(path), BLANK)).toBe(false)
    // It still gets a picture, on the same connection.
    let received = 0
    viewer.on('data', (bytes: Buffer) => {
      received += bytes.length
    })
    viewer.write(Buffer.from([3, 0, 0, 0, 0, 0, 2, 208, 1, 144]))
    await expect.poll(() => received, BUSY_MACHINE).toBeGreaterThan(720 * 400 * 4)
  },
)

test.skipIf(!qemu || !existsSync(OVMF))(
  'OVMF without a disk shows no system, though in a graphics mode',
  { timeout: 180_000 },
  async () => {
    const path = startMachine(UEFI)
    const facts = async () => await look(path).catch(() => BLANK)
    const isDrawn = async () => {
      const { width, colours } = await facts()
      return width > 720 && colours > 1
    }
    await expect.poll(isDrawn, BUSY_MACHINE).toBe(true)
    expect(showsSystem(await facts(), BLANK)).toBe(false)
  },
)

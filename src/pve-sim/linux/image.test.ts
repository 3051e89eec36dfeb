import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { findQemu } from '../qemu/find-qemu.ts'
import { findImage, imageFolder, imageIn } from './guest-image.ts'
import { dependencies, kernelModules, lighten } from './kernel-modules.ts'
import { findAccelerator, runsGuest } from './kvm.ts'
import { BLANK_OS_RELEASE, MARK, osRelease } from './os-release.ts'
import { copySparse, newSystemDisk } from './system-disk.ts'

const folder = mkdtempSync(join(tmpdir(), 'hushbox-image-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the disk of a new server', () => {
  const disk = join(folder, 'image.img')
  const content = Buffer.alloc(2 * 1024 ** 2 + 700)
  const at = 1024 ** 2
  content.write('first', 'latin1')
  content.write(BLANK_OS_RELEASE, at, 'latin1')
  content.write('last', content.length - 4, 'latin1')
  writeFileSync(disk, content)

  test('is a copy whose empty parts take no room', async () => {
    const copy = join(folder, 'copy.img')
    await copySparse(disk, copy)
    expect(readFileSync(copy).equals(content)).toBe(true)
    expect(statSync(copy).blocks * 512).toBeLessThan(content.length)
  })

  test('carries the name of its system, and nothing else differs', async () => {
    const image = { ...imageIn(folder, { osReleaseAt: at, release: '6.1' }), disk }
    const file = join(folder, 'new.img')
    await newSystemDisk(image, file, 'Rocky Linux 9.6 (Blue Onyx)')
    const made = readFileSync(file)
    expect(made.subarray(at, at + 1024).toString()).toMatch(
      /^PRETTY_NAME="Rocky Linux 9\.6 \(Blue Onyx\)"\nNAME="Rocky Linux"\nID=rocky\nVERSION_ID="9\.6"\n/,
    )
    made.set(content.subarray(at, at + 1024), at)
    expect(made.equals(content)).toBe(true)
  })

  test('has a name of one block that the shell of the guest can read', () => {
    expect(BLANK_OS_RELEASE).toHaveLength(1024)
    expect(BLANK_OS_RELEASE.startsWith(MARK)).toBe(true)
    expect(osRelease('A "$(reboot)" `x`').toString()).toContain('PRETTY_NAME="A (reboot) x"\n')
    expect(() => osRelease('x'.repeat(1200))).toThrow('too long')
  })
})

describe('kernel modules', () => {
  const signature = Buffer.alloc(40, 7)
  const info = Buffer.alloc(12)
  info.writeUInt32BE(signature.length, 8)
  const mark = Buffer.from('~Module signature appended~\n')
  const module = (depends: string) =>
    Buffer.concat([
      Buffer.from(`ELF\0.text\0.BTF\0license=GPL\0depends=${depends}\0name=x\0`, 'latin1'),
      ...[signature, info, mark],
    ])

  test('lose their signature and their types', () => {
    const light = lighten(module('')).toString('latin1')
    expect(light).toBe('ELF\0.text\0.not\0license=GPL\0depends=\0name=x\0')
    expect(lighten(Buffer.from('plain')).toString()).toBe('plain')
  })

  test('come with those they need, in the order modprobe reads', async () => {
    const tree = mkdtempSync(join(folder, 'modules-'))
    writeFileSync(join(tree, 'virtio_net.ko'), module('virtio-ring,net_failover'))
    writeFileSync(join(tree, 'virtio_ring.ko'), module('virtio'))
    writeFileSync(join(tree, 'virtio.ko'), module(''))
    writeFileSync(join(tree, 'nothing_needs_it.ko'), module(''))
    const lines = dependencies(await kernelModules(tree))
      .trim()
      .split('\n')
    expect(lines.sort()).toEqual([
      'virtio.ko:',
      'virtio_net.ko: virtio_ring.ko virtio.ko',
      'virtio_ring.ko: virtio.ko',
    ])
  })

  test('are loaded after all they need, however these need each other', () => {
    const needs = {
      virtio_pci: ['virtio_ring', 'virtio_pci_modern_dev', 'virtio'],
      virtio_pci_modern_dev: [],
      virtio: ['virtio_ring'],
      virtio_ring: [],
    }
    const lines = dependencies(Object.entries(needs).map(([name, of]) => ({ name, needs: of })))
    expect(lines.split('\n')[0]).toBe(
      'virtio_pci.ko: virtio.ko virtio_pci_modern_dev.ko virtio_ring.ko',
    )
  })
})

test('an image is found by its recipe; without one there is none', () => {
  expect(imageFolder()).toMatch(/guest-[0-9a-f]{12}$/)
  expect(findImage(join(folder, 'nothing'))).toBeUndefined()
})

const qemu = await findQemu()

describe.skipIf(!qemu)(`an accelerator of ${qemu ? qemu.version : 'QEMU, which is absent'}`, () => {
  test('counts only if it runs a guest', { timeout: 60_000 }, async () => {
    const program = qemu?.program ?? ''
    expect(await runsGuest(program, 'tcg')).toBe(true)
    expect(await runsGuest(program, 'no-such-accelerator')).toBe(false)
    expect(await runsGuest('no-such-program', 'tcg')).toBe(false)
    // What is no kernel does not start, so there is no KVM to be used.
    expect(await findAccelerator(program, join(folder, 'no-kernel'))).toBe('tcg')
  })
})

import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { outputOf } from './packages.ts'

/** Network card, cloud-init drive, power button. Disk and file system are part of the kernel. */
const WANTED = ['virtio_pci', 'virtio_net', 'isofs', 'button', 'evdev']

export type KernelModule = { name: string; content: Buffer; needs: string[] }

const nameOf = (file: string) =>
  basename(file)
    .replace(/\.ko.*$/, '')
    .replaceAll('-', '_')

async function read(file: string): Promise<Buffer> {
  if (file.endsWith('.ko')) return readFileSync(file)
  const plain = file.replace(/\.xz$/, '')
  await outputOf('xz', ['--decompress', '--keep', '--force', file])
  return readFileSync(plain)
}

const SIGNED = Buffer.from('~Module signature appended~\n')
/** Of the structure between a signature and the mark; its last four bytes are the length. */
const SIGNATURE_INFO_BYTES = 12

/**
 * Without signature and type information: under software emulation checking the one and reading the
 * other takes most of the time of loading a module.
 */
export function lighten(module: Buffer): Buffer {
  let end = module.length
  if (module.subarray(-SIGNED.length).equals(SIGNED)) {
    const info = end - SIGNED.length
    end = info - SIGNATURE_INFO_BYTES - module.readUInt32BE(info - 4)
  }
  const light = Buffer.from(module.subarray(0, end))
  const section = light.indexOf('\0.BTF\0', 0, 'latin1')
  if (section >= 0) light.write('.not', section + 1, 'latin1')
  return light
}

function needsOf(module: Buffer): string[] {
  const depends = /\0depends=([^\0]*)\0/.exec(module.toString('latin1'))?.[1] ?? ''
  return depends.split(',').filter(Boolean)
}

/** The wanted modules and all they need; what is not there is part of the kernel. */
export async function kernelModules(folder: string): Promise<KernelModule[]> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ko(\.xz)?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  const places = new Map(files.map((file) => [nameOf(file), file]))
  const found = new Map<string, KernelModule>()
  const queue = [...WANTED]
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const file = places.get(name)
    if (found.has(name) || file === undefined) continue
    const content = await read(file)
    const needs = needsOf(content).map(nameOf)
    found.set(name, { name, content: lighten(content), needs })
    queue.push(...needs)
  }
  return [...found.values()]
}

/**
 * `modules.dep`: each module with everything it needs. They are loaded from the last to the first, so
 * one that others of the line need comes after all of these.
 */
export function dependencies(modules: Pick<KernelModule, 'name' | 'needs'>[]): string {
  const byName = new Map(modules.map((module) => [module.name, module]))
  const load = (name: string, loaded: Set<string>): Set<string> => {
    for (const need of byName.get(name)?.needs ?? []) {
      if (byName.has(need) && !loaded.has(need)) load(need, loaded).add(need)
    }
    return loaded
  }
  return modules
    .map(({ name }) => {
      const needs = [...load(name, new Set())].reverse()
      return `${name}.ko:${needs.map((need) => ` ${need}.ko`).join('')}\n`
    })
    .join('')
}

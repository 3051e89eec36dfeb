import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import {
  descriptionOf,
  FILES,
  findImage,
  type GuestImage,
  imageFolder,
  imageIn,
} from './guest-image.ts'
import { dependencies, kernelModules } from './kernel-modules.ts'
import { BLANK_OS_RELEASE, MARK } from './os-release.ts'
import { outputOf, unpackPackages } from './packages.ts'

const DISK = '64M'
/** The disk's driver and its file system: without them in the kernel it would need an initrd. */
const BUILT_IN = ['CONFIG_BLK_DEV_NVME=y', 'CONFIG_EXT4_FS=y', 'CONFIG_DEVTMPFS=y']
const LOADER = 'ld-linux-x86-64.so.2'
const PROGRAMS = ['usr/sbin/dropbear', 'usr/bin/dropbearkey']
const FOLDERS = ['dev', 'proc', 'sys', 'run', 'mnt', 'tmp', 'root', 'home', 'var/log']

/** Where Debian keeps programs and libraries; other files may have the same names. */
const PLACES = /\/(bin|sbin|lib64|x86_64-linux-gnu)$/

function filesByName(tree: string): Map<string, string> {
  const files = new Map<string, string>()
  for (const entry of readdirSync(tree, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !PLACES.test(entry.parentPath)) continue
    files.set(entry.name, join(entry.parentPath, entry.name))
  }
  return files
}

function required(files: Map<string, string>, name: string): string {
  const exact = files.get(name)
  if (exact) return exact
  // A library's own file has its full version in its name.
  const versioned = [...files].find(([other]) => other.startsWith(`${name}.`))?.[1]
  if (!versioned) throw new Error(`Debian's packages have no ${name}`)
  return versioned
}

/** Shared libraries of a program and of those libraries, by the names inside them. */
function librariesOf(files: Map<string, string>, programs: string[]): string[] {
  const known = new Set<string>()
  const queue = [...programs]
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    const text = readFileSync(file, 'latin1')
    for (const [name] of text.matchAll(/(?<=\0)lib[\w+-]+\.so\.\d+(?=\0)/g)) {
      if (known.has(name) || !names(files, name)) continue
      known.add(name)
      queue.push(required(files, name))
    }
  }
  return [...known]
}

const names = (files: Map<string, string>, name: string) =>
  files.has(name) || [...files.keys()].some((other) => other.startsWith(`${name}.`))

async function put(root: string, path: string, from: string, mode = 0o755): Promise<void> {
  const file = join(root, path)
  await mkdir(dirname(file), { recursive: true })
  await copyFile(from, file)
  await chmod(file, mode)
}

async function write(root: string, path: string, content: string | Buffer, mode = 0o644) {
  const file = join(root, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content, { mode })
}

async function addPrograms(root: string, files: Map<string, string>): Promise<void> {
  await put(root, 'bin/busybox', required(files, 'busybox'))
  await symlink('busybox', join(root, 'bin/sh'))
  await mkdir(join(root, 'sbin'))
  await symlink('../bin/busybox', join(root, 'sbin/init'))
  const programs = PROGRAMS.map((path) => required(files, basename(path)))
  for (const path of PROGRAMS) await put(root, path, required(files, basename(path)))
  for (const name of librariesOf(files, programs)) {
    await put(root, `lib/x86_64-linux-gnu/${name}`, required(files, name))
  }
  await put(root, `lib64/${LOADER}`, required(files, LOADER))
}

async function addFiles(root: string): Promise<void> {
  for (const folder of FOLDERS) await mkdir(join(root, folder), { recursive: true })
  for (const folder of ['etc/dropbear', 'var/lib/cloud']) {
    await mkdir(join(root, folder), { recursive: true })
  }
  for (const name of ['boot', 'cloud', 'power']) {
    await put(root, `etc/init.d/${name}`, join(FILES, name))
  }
  for (const name of ['inittab', 'fstab']) await put(root, `etc/${name}`, join(FILES, name), 0o644)
  await write(root, 'etc/acpi/PWRF/00000080', '#!/bin/sh\nexec /sbin/poweroff\n', 0o755)
  await write(root, 'etc/passwd', 'root:x:0:0::/root:/bin/sh\n')
  await write(root, 'etc/group', 'root:x:0:\n')
  await write(root, 'etc/shadow', 'root:*:19000:0:99999:7:::\n', 0o600)
  await write(root, 'etc/shells', '/bin/sh\n')
  await write(root, 'etc/hostname', 'localhost\n')
  await write(root, 'etc/os-release', BLANK_OS_RELEASE)
}

/** Returns the kernel's release. */
async function addModules(root: string, tree: string): Promise<string> {
  const folder = ['lib/modules', 'usr/lib/modules']
    .map((path) => join(tree, path))
    .find((path) => existsSync(path) && lstatSync(path).isDirectory())
  const release = folder && readdirSync(folder)[0]
  if (!folder || !release) throw new Error("Debian's kernel package has no modules")
  const modules = await kernelModules(join(folder, release))
  const place = `lib/modules/${release}`
  for (const { name, content } of modules) await write(root, `${place}/${name}.ko`, content)
  await write(root, `${place}/modules.dep`, dependencies(modules))
  return release
}

async function assemble(work: string, tree: string): Promise<GuestImage> {
  const root = join(work, 'root')
  await mkdir(join(root, 'bin'), { recursive: true })
  const release = await addModules(root, tree)
  const config = readFileSync(join(tree, `boot/config-${release}`), 'utf8').split('\n')
  const lacks = BUILT_IN.find((line) => !config.includes(line))
  if (lacks) throw new Error(`the kernel ${release} was built without ${lacks}`)
  await addFiles(root)
  await addPrograms(root, filesByName(tree))
  const image = imageIn(join(work, 'image'), { osReleaseAt: 0, release })
  await mkdir(image.folder)
  await copyFile(join(tree, `boot/vmlinuz-${release}`), image.kernel)
  await outputOf('mke2fs', [
    ...['-q', '-t', 'ext4', '-d', root, '-E', 'root_owner=0:0', '-L', 'system'],
    ...[image.disk, DISK],
  ])
  const osReleaseAt = readFileSync(image.disk).indexOf(MARK)
  if (osReleaseAt < 0) throw new Error('the disk has no os-release')
  return { ...image, osReleaseAt }
}

/** The image, built if it was not before: downloads some 40 MB of Debian packages. */
export async function buildImage(): Promise<GuestImage> {
  const folder = imageFolder()
  const before = findImage(folder)
  if (before) return before
  await mkdir(dirname(folder), { recursive: true })
  const work = await mkdtemp(`${folder}.`)
  try {
    const image = await assemble(work, await unpackPackages(work))
    const { name, text } = descriptionOf(image)
    await writeFile(join(image.folder, name), text)
    // Another process may have been faster; its image is as good.
    await rename(image.folder, folder).catch((error: unknown) => {
      if (!findImage(folder)) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  const built = findImage(folder)
  if (!built) throw new Error('the image was not stored')
  return built
}

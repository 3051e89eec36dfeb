import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { delimiter, dirname, join } from 'node:path'

/** A kernel and a disk with a small system, on which every new server of the demo begins. */
export type GuestImage = {
  folder: string
  kernel: string
  disk: string
  /** Where /etc/os-release is on the disk: it is overwritten with the name of the system. */
  osReleaseAt: number
  release: string
}

/** Counted up when the build changes in a way that `files/` does not show. */
const RECIPE = 2
/** The same for the sources and for the server built of them. */
const ROOT = dirname(findPackageJSON(import.meta.url) ?? '.')
export const FILES = join(ROOT, 'src/pve-sim/linux/files')
const CACHE = join(ROOT, 'node_modules/.cache/hushbox')
const DESCRIPTION = 'image.json'

/** Named by its recipe: another recipe makes another image. */
export function imageFolder(): string {
  const hash = createHash('sha256').update(`recipe ${RECIPE}\n`)
  for (const name of readdirSync(FILES).sort()) {
    hash.update(`${name}\n`).update(readFileSync(join(FILES, name)))
  }
  return join(CACHE, `guest-${hash.digest('hex').slice(0, 12)}`)
}

export const descriptionOf = ({ osReleaseAt, release }: GuestImage) => ({
  name: DESCRIPTION,
  text: JSON.stringify({ osReleaseAt, release }),
})

export const imageIn = (
  folder: string,
  about: Pick<GuestImage, 'osReleaseAt' | 'release'>,
): GuestImage => ({
  folder,
  kernel: join(folder, 'vmlinuz'),
  disk: join(folder, 'disk.img'),
  ...about,
})

/** The image that was built before; undefined if there is none. */
export function findImage(folder = imageFolder()): GuestImage | undefined {
  const file = join(folder, DESCRIPTION)
  if (!existsSync(file)) return undefined
  return imageIn(folder, JSON.parse(readFileSync(file, 'utf8')))
}

const BUILDERS = ['apt-get', 'apt-cache', 'dpkg-deb', 'mke2fs']

/** What is missing here to build the image; undefined if nothing is. */
export function missingBuilder(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return BUILDERS.find((name) => !folders.some((folder) => existsSync(join(folder, name))))
}

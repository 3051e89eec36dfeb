import {
  big32,
  both16,
  both32,
  bytesOf,
  even,
  little16,
  little32,
  padded,
  RECORD_DATE,
  zeros,
} from './fields.ts'
import { fileEntries, parentEntries, rootEntries } from './rock-ridge.ts'

/** A file at the top of the image. */
export type IsoFile = { name: string; content: string | Uint8Array }

const SECTOR = 2048
/** The first sixteen sectors are not the file system's. */
const DESCRIPTOR_AT = 16
const TABLES_AT = DESCRIPTOR_AT + 2
const ROOT_AT = TABLES_AT + 2
const PATH_TABLE_BYTES = 10
const LABEL_BYTES = 32
const NAME_BYTES = 100
const IS_FOLDER = 2

type Placed = { isoName: string; name: string; content: Uint8Array; sector: number }
type Extent = { sector: number; bytes: number }

const sectorsFor = (bytes: number) => Math.ceil(bytes / SECTOR)

/**
 * A CD-ROM image (ISO 9660 with Rock Ridge names) with these files and no folders: what a
 * cloud-init drive is. The same input gives the same bytes.
 */
export function isoImage(label: string, files: IsoFile[]): Uint8Array {
  if (!/^[\x20-\x7e]+$/.test(label) || label.length > LABEL_BYTES) {
    throw new Error(`an ISO label has 1 to ${LABEL_BYTES} ASCII characters`)
  }
  const named = withIsoNames(files)
  const rootBytes = rootFolder(
    named.map((file) => ({ ...file, sector: 0 })),
    0,
  ).length
  let end = ROOT_AT + sectorsFor(rootBytes)
  const placed = named.map((file) => {
    const sector = end
    end += sectorsFor(file.content.length)
    return { ...file, sector }
  })
  const root = { sector: ROOT_AT, bytes: rootBytes }
  const image = new Uint8Array(end * SECTOR)
  const put = (sector: number, bytes: ArrayLike<number>) => image.set(bytes, sector * SECTOR)
  put(DESCRIPTOR_AT, volumeDescriptor(label, end, root))
  put(DESCRIPTOR_AT + 1, [255, ...bytesOf('CD001'), 1])
  put(TABLES_AT, [1, 0, ...little32(ROOT_AT), ...little16(1), 0, 0])
  put(TABLES_AT + 1, [1, 0, ...big32(ROOT_AT), 0, 1, 0, 0])
  put(ROOT_AT, rootFolder(placed, rootBytes))
  for (const { sector, content } of placed) put(sector, content)
  return image
}

/** Systems without Rock Ridge see capitals, digits and underscores; the order is theirs. */
function withIsoNames(files: IsoFile[]): Omit<Placed, 'sector'>[] {
  const taken = new Set<string>()
  const named = files.map(({ name, content }) => {
    const length = bytesOf(name).length
    if (length < 1 || length > NAME_BYTES || /[/\0]/.test(name) || /^\.\.?$/.test(name)) {
      throw new Error(`not the name of a file in an image: ${name}`)
    }
    if (taken.has(name)) throw new Error(`two files of an image are named ${name}`)
    taken.add(name)
    return { name, content: bytesOf(content) }
  })
  const used = new Set<string>()
  return named
    .map((file, index) => {
      const plain = file.name
        .toUpperCase()
        .replace(/[^A-Z0-9]/g, '_')
        .slice(0, 24)
      let unique = plain
      for (let n = index; used.has(unique); n += files.length) unique = `${plain}_${n}`
      used.add(unique)
      return { ...file, isoName: `${unique}.;1` }
    })
    .sort((a, b) => (a.isoName < b.isoName ? -1 : 1))
}

/** Records do not cross sectors. */
function rootFolder(files: Placed[], bytes: number): number[] {
  const own = { sector: ROOT_AT, bytes }
  const records = [
    record([0], own, IS_FOLDER, rootEntries()),
    record([1], own, IS_FOLDER, parentEntries()),
    ...files.map(({ isoName, name, content, sector }) =>
      record([...bytesOf(isoName)], { sector, bytes: content.length }, 0, fileEntries(name)),
    ),
  ]
  const folder: number[] = []
  for (const one of records) {
    const left = SECTOR - (folder.length % SECTOR)
    if (one.length > left) folder.push(...zeros(left))
    folder.push(...one)
  }
  return [...folder, ...zeros(sectorsFor(folder.length) * SECTOR - folder.length)]
}

function record(id: number[], { sector, bytes }: Extent, flags: number, extra: number[]): number[] {
  const fixed = [...both32(sector), ...both32(bytes), ...RECORD_DATE, flags, 0, 0, ...both16(1)]
  const whole = even([...even([0, 0, ...fixed, id.length, ...id]), ...extra])
  return [whole.length, ...whole.slice(1)]
}

/** Unset, in the form of the volume's dates. */
const NO_DATE = [...bytesOf('0'.repeat(16)), 0]

function volumeDescriptor(label: string, sectors: number, root: Extent): number[] {
  return [
    1,
    ...bytesOf('CD001'),
    1,
    0,
    ...padded('', 32),
    ...padded(label, LABEL_BYTES),
    ...zeros(8),
    ...both32(sectors),
    ...zeros(32),
    ...both16(1),
    ...both16(1),
    ...both16(SECTOR),
    ...both32(PATH_TABLE_BYTES),
    ...little32(TABLES_AT),
    ...little32(0),
    ...big32(TABLES_AT + 1),
    ...big32(0),
    ...record([0], root, IS_FOLDER, []),
    ...padded('', 4 * 128 + 3 * 37),
    ...NO_DATE,
    ...NO_DATE,
    ...NO_DATE,
    ...NO_DATE,
    1,
  ]
}

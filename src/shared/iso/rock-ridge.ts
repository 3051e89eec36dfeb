import { both32, bytesOf } from './fields.ts'

/**
 * Rock Ridge: entries behind a directory record that hold what ISO 9660 has no room for, here the
 * name as it was given and the mode.
 */

const FILE_MODE = 0o100444
const FOLDER_MODE = 0o040555

const entry = (signature: string, data: ArrayLike<number>, version = 1): number[] => [
  ...bytesOf(signature),
  data.length + 4,
  version,
  ...Array.from(data),
]

/** Mode, one link, owner and group root. */
const mode = (value: number) =>
  entry('PX', [...both32(value), ...both32(1), ...both32(0), ...both32(0)])

export const fileEntries = (name: string): number[] => [
  ...entry('NM', [0, ...bytesOf(name)]),
  ...mode(FILE_MODE),
]

const IDENTIFIER = 'RRIP_1991A'

/** Which extension this is; its description and source stay empty. */
const extension = () => entry('ER', [IDENTIFIER.length, 0, 0, 1, ...bytesOf(IDENTIFIER)])

/** Of the root's own record: says that entries follow at once, and of which kind. */
export const rootEntries = (): number[] => [
  ...entry('SP', [0xbe, 0xef, 0]),
  ...mode(FOLDER_MODE),
  ...extension(),
]

export const parentEntries = (): number[] => mode(FOLDER_MODE)

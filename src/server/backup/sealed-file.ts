import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { z } from 'zod'

/**
 * A backup file: magic, length and text of a public header, then frames of AES-256-GCM. The key of
 * a file depends on its header, the nonce of a frame on its position and on whether it is the last:
 * any change, move, truncation or addition makes the file refuse to open.
 */
const MAGIC = Buffer.from('HUSHBOX-BACKUP-1\n')
const ALGORITHM = 'aes-256-gcm'
const FRAME = 64 * 1024
const TAG = 16
const HEADER_MAX = 1024 * 1024

const Header = z.object({
  madeAt: z.iso.datetime(),
  version: z.string(),
  database: z.enum(['embedded', 'postgres']),
  /** The schema's version: every applied migration, oldest first. */
  migrations: z.array(z.string()).min(1),
  /** Rows in each table. */
  counts: z.record(z.string(), z.number()),
  keyId: z.string(),
  salt: z.string(),
})
export type BackupHeader = z.output<typeof Header>
export type BackupFacts = Omit<BackupHeader, 'keyId' | 'salt'>

/** A backup that cannot be made or used, with the reason in a sentence. */
export class BackupError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'BackupError'
  }
}

const damaged = (cause?: unknown) =>
  new BackupError(
    'The backup is damaged or was altered: it is not as it was written. Use another one.',
    cause,
  )

/** Header and content as written to the file. */
export async function* seal(
  secret: string,
  facts: BackupFacts,
  content: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const salt = randomBytes(16).toString('hex')
  const header = prelude({ ...facts, keyId: keyId(secret), salt })
  yield header
  const key = fileKey(secret, header)
  let waiting = Buffer.alloc(0)
  let index = 0
  const frame = (plain: Buffer, isLast: boolean) => {
    const cipher = createCipheriv(ALGORITHM, key, nonce(index, isLast))
    index += 1
    const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    return Buffer.concat([uint32(sealed.length), sealed])
  }
  for await (const piece of content) {
    waiting = Buffer.concat([waiting, piece])
    // One frame is held back: only at the end is it known which is the last.
    while (waiting.length > FRAME) {
      yield frame(waiting.subarray(0, FRAME), false)
      waiting = waiting.subarray(FRAME)
    }
  }
  yield frame(waiting, true)
}

/** Reads the header, and refuses a file of another kind or key before it is used. */
export async function openSealed(
  file: FileHandle,
  secrets: string[],
): Promise<{ header: BackupHeader; content: AsyncGenerator<Buffer> }> {
  const magic = await take(file, MAGIC.length)
  if (!magic.equals(MAGIC)) throw new BackupError('This is not a backup of Hushbox.')
  const size = await take(file, 4)
  const length = size.length === 4 ? size.readUInt32BE() : HEADER_MAX + 1
  if (length > HEADER_MAX) throw damaged()
  const text = await take(file, length)
  const header = parseHeader(text)
  const secret = secrets.find((one) => keyId(one) === header.keyId)
  if (secret === undefined) {
    throw new BackupError(
      `The backup was made with another SECRET_KEY (${header.keyId}). Set that one to read it.`,
    )
  }
  const key = fileKey(secret, Buffer.concat([magic, size, text]))
  return { header, content: openFrames(file, key) }
}

async function* openFrames(file: FileHandle, key: Buffer): AsyncGenerator<Buffer> {
  for (let index = 0; ; index += 1) {
    const size = await take(file, 4)
    const length = size.length === 4 ? size.readUInt32BE() : 0
    if (length < TAG || length > FRAME + TAG) throw damaged()
    const sealed = await take(file, length)
    if (sealed.length < length) throw damaged()
    const middle = openFrame(key, nonce(index, false), sealed)
    if (middle) {
      yield middle
      continue
    }
    const last = openFrame(key, nonce(index, true), sealed)
    if (!last || (await take(file, 1)).length > 0) throw damaged()
    yield last
    return
  }
}

function openFrame(key: Buffer, iv: Buffer, sealed: Buffer): Buffer | undefined {
  const decipher = createDecipheriv(ALGORITHM, key, iv).setAuthTag(sealed.subarray(-TAG))
  const plain = decipher.update(sealed.subarray(0, -TAG))
  try {
    decipher.final()
    return plain
  } catch {
    return undefined
  }
}

function parseHeader(text: Buffer): BackupHeader {
  try {
    return Header.parse(JSON.parse(text.toString('utf8')))
  } catch (error) {
    throw damaged(error)
  }
}

function prelude(header: BackupHeader): Buffer {
  const text = Buffer.from(JSON.stringify(header))
  return Buffer.concat([MAGIC, uint32(text.length), text])
}

async function take(file: FileHandle, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, null)
  return buffer.subarray(0, bytesRead)
}

const fileKey = (secret: string, header: Buffer) => derive(secret, 'hushbox backup', sha256(header))
const keyId = (secret: string) =>
  sha256(derive(secret, 'hushbox backup id', ''))
    .toString('hex')
    .slice(0, 8)

const derive = (secret: string, purpose: string, salt: Buffer | string) =>
  Buffer.from(hkdfSync('sha256', secret, salt, purpose, 32))

const sha256 = (data: Buffer) => createHash('sha256').update(data).digest()

const uint32 = (value: number) => {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32BE(value)
  return buffer
}

/** Eight bytes of position, four that mark the last frame. Never the same twice under one key. */
const nonce = (index: number, isLast: boolean) => {
  const buffer = Buffer.alloc(12)
  buffer.writeBigUInt64BE(BigInt(index))
  buffer.writeUInt32BE(isLast ? 1 : 0, 8)
  return buffer
}

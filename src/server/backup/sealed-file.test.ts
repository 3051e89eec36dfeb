import { readFileSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../testing/temp-folder.ts'
import { type BackupFacts, openSealed, seal } from './sealed-file.ts'

const SECRET = 'a key for backups, long enough to be one'
const folder = tempFolder('sealed')
const file = join(folder, 'x.backup')

const facts: BackupFacts = {
  madeAt: '2026-11-15T12:00:00.000Z',
  version: '1.0.1',
  database: 'embedded',
  migrations: ['0000_start'],
  counts: { users: 3 },
}

async function* inPieces(content: Buffer, size: number) {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size)
}

async function sealed(content: Buffer): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of seal(SECRET, facts, inPieces(content, 10_007))) parts.push(part)
  return Buffer.concat(parts)
}

async function opened(bytes: Buffer, secrets = [SECRET]): Promise<Buffer> {
  writeFileSync(file, bytes)
  const handle = await open(file)
  try {
    const parts: Buffer[] = []
    const { content } = await openSealed(handle, secrets)
    for await (const part of content) parts.push(part)
    return Buffer.concat(parts)
  } finally {
    await handle.close()
  }
}

const text = (length: number) => Buffer.alloc(length, 'A secret nobody may read. ')

test.each([0, 1, 65_535, 65_536, 65_537, 200_000])(
  '%i bytes are sealed and opened again',
  async (length) => {
    const bytes = await sealed(text(length))
    expect(await opened(bytes)).toEqual(text(length))
    expect(bytes.includes('secret nobody')).toBe(false)
  },
)

test('the public facts are in the header', async () => {
  await opened(await sealed(text(10)))
  expect(readFileSync(file).toString('latin1')).toContain('"counts":{"users":3}')
})

test('two files of the same content have nothing in common but the header', async () => {
  const [one, two] = [await sealed(text(5000)), await sealed(text(5000))]
  expect(one.subarray(-5000).equals(two.subarray(-5000))).toBe(false)
})

test('another key is reported by its id, and the previous one may open it', async () => {
  const bytes = await sealed(text(100))
  await expect(opened(bytes, ['quite another key, also long enough'])).rejects.toThrow(
    /another SECRET_KEY \([0-9a-f]{8}\)/,
  )
  expect(await opened(bytes, ['quite another key, also long enough', SECRET])).toEqual(text(100))
})

test('another file is not accepted as a backup', async () => {
  await expect(opened(Buffer.from('PGDMP and so on, quite long enough'))).rejects.toThrow(
    'This is not a backup of Hushbox.',
  )
  await expect(opened(Buffer.alloc(0))).rejects.toThrow('This is not a backup of Hushbox.')
})

test('a file truncated anywhere is refused', async () => {
  const bytes = await sealed(text(150_000))
  const frame = 65_536 + 16 + 4
  const header = bytes.length - (150_000 + 3 * 20)
  const cuts = [20, header - 1, header, header + 2, header + 4 + 100, header + frame]
  for (const cut of [...cuts, header + 2 * frame, bytes.length - 1]) {
    await expect(opened(bytes.subarray(0, cut)), `cut at ${cut}`).rejects.toThrow(/damaged/)
  }
})

test('a file with one byte changed, swapped or added anywhere is refused', async () => {
  const bytes = await sealed(text(150_000))
  const frame = 65_536 + 16 + 4
  const header = bytes.length - (150_000 + 3 * 20)
  for (const at of [25, header - 2, header, header + 4, header + 70_000, bytes.length - 1]) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    await expect(opened(changed), `at ${at}`).rejects.toThrow(/damaged|another SECRET_KEY/)
  }
  const [first, second] = [
    bytes.subarray(header, header + frame),
    bytes.subarray(header + frame, header + 2 * frame),
  ]
  const swapped = Buffer.concat([
    bytes.subarray(0, header),
    second,
    first,
    bytes.subarray(header + 2 * frame),
  ])
  await expect(opened(swapped)).rejects.toThrow(/damaged/)
  await expect(opened(Buffer.concat([bytes, Buffer.from([0])]))).rejects.toThrow(/damaged/)
})

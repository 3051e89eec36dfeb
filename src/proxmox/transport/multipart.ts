import { randomBytes } from 'node:crypto'
import type { Parameters } from '../wire/encoding.ts'

export type UploadedFile = { name: string; content: Uint8Array }

const NAME = /^[\w.-]+$/

/**
 * The body of an upload. PVE reads the parts in one pass: the parameters come first, and the file,
 * in a part named `filename`, is the last one (facts-2 §6).
 */
export function multipart(
  parameters: Parameters,
  { name, content }: UploadedFile,
): { type: string; body: Uint8Array } {
  if (!NAME.test(name)) throw new Error('not the name of a file to upload')
  const boundary = `hushbox-${randomBytes(16).toString('hex')}`
  const part = (header: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name=${header}\r\n`
  const fields = Object.entries(parameters).map(
    ([key, value]) => `${part(`"${key}"`)}\r\n${String(value)}\r\n`,
  )
  const head = `${part(`"filename"; filename="${name}"`)}Content-Type: application/octet-stream\r\n\r\n`
  const body = Buffer.concat([
    Buffer.from(fields.join('') + head),
    content,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  return { type: `multipart/form-data; boundary=${boundary}`, body }
}

import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { PveError } from './errors.ts'

/** Only the path of uploads takes this type of body. */
export const isUpload = ({ method, url = '', headers }: IncomingMessage): boolean =>
  method === 'POST' &&
  /\/storage\/[^/]+\/upload$/.test(url) &&
  (headers['content-type'] ?? '').startsWith('multipart/form-data')

const BLANK_LINE = '\r\n\r\n'

const wrong = (message: string) => new PveError(400, message, { plain: true })

/** One pass over the parts, as pve-http-server does: whatever follows the file is not read. */
export function decodeMultipart(
  { headers }: IncomingMessage,
  body: Buffer,
): { fields: Map<string, string>; file: Buffer } {
  if (headers['content-length'] === undefined) throw new PveError(501, 'content-length required')
  const boundary = /boundary="?([^";]+)"?$/.exec(headers['content-type'] ?? '')?.[1]
  if (boundary === undefined) throw wrong('bad multipart request')
  const fields = new Map<string, string>()
  let at = body.indexOf(`--${boundary}\r\n`)
  while (at >= 0) {
    const from = body.indexOf(BLANK_LINE, at)
    const end = body.indexOf(`\r\n--${boundary}`, from)
    if (from < 0 || end < 0) break
    const head = body.toString('utf8', at, from)
    const name = /; name="([^"]+)"/.exec(head)?.[1] ?? ''
    const content = body.subarray(from + BLANK_LINE.length, end)
    if (name === 'filename') {
      fields.set('filename', /; filename="([^"]+)"/.exec(head)?.[1] ?? '')
      fields.set('tmpfilename', `/var/tmp/pveupload-${randomBytes(16).toString('hex')}`)
      return { fields, file: Buffer.from(content) }
    }
    fields.set(name, content.toString('utf8'))
    at = end + 2
  }
  throw wrong('no file in the upload')
}

import type { IncomingMessage } from 'node:http'
import type { Version } from '../state/types.ts'
import { atLeast, traits } from '../state/versions.ts'
import { die, PveError } from './errors.ts'
import { decodeMultipart, isUpload } from './multipart.ts'

export type Incoming = {
  request: IncomingMessage
  /** Below /api2/json, still percent-encoded. */
  path: string
  params: Map<string, string>
  /** The content of an upload. */
  file?: Buffer | undefined
}

/** Joins duplicate names with NUL, which list formats split on again. */
function add(params: Map<string, string>, name: string, value: string): void {
  const before = params.get(name)
  params.set(name, before === undefined ? value : `${before}\0${value}`)
}

function unquote(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}

/** Splits on & and ; alike, and each pair at its first =, like pve-http-server. */
export function decodeForm(text: string): Map<string, string> {
  const params = new Map<string, string>()
  for (const pair of text.split(/[&;]/)) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    if (at < 0) add(params, unquote(pair), '')
    else add(params, unquote(pair.slice(0, at)), unquote(pair.slice(at + 1)))
  }
  return params
}

function jsonText(value: unknown, version: Version): string {
  // Real booleans are accepted since pve-common of mid-2023.
  if (typeof value === 'boolean' && atLeast(version, '8.0')) return value ? '1' : '0'
  if (Array.isArray(value)) return value.map((item) => jsonText(item, version)).join('\0')
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

function decodeJson(text: string, version: Version): Map<string, string> {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw die(
      'malformed JSON string, neither tag, array, object, number, string or atom, at character offset 0',
    )
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw die('Not a HASH reference')
  }
  return new Map(Object.entries(parsed).map(([name, value]) => [name, jsonText(value, version)]))
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** What the server refuses before it parses the path. */
function refuseBadContent(request: IncomingMessage, version: Version): void {
  const method = request.method ?? ''
  if (!/^(GET|POST|PUT|DELETE)$/.test(method)) {
    throw new PveError(501, `method '${method}' not available`, { emptyBody: true })
  }
  if (request.headers['transfer-encoding']) {
    throw new PveError(501, 'chunked transfer encoding not supported', { plain: true })
  }
  const length = Number(request.headers['content-length'] ?? 0)
  if (length > 0 && (method === 'GET' || method === 'DELETE')) {
    throw new PveError(501, `Unexpected content for method '${method}'`, { plain: true })
  }
  if (!isUpload(request) && length > traits(version).maxBody) {
    throw new PveError(501, 'for data too large', { plain: true })
  }
}

/** Query and body parameters together. */
export async function decodeRequest(
  request: IncomingMessage,
  query: string,
  version: Version,
): Promise<Pick<Incoming, 'params' | 'file'>> {
  refuseBadContent(request, version)
  const params = decodeForm(query)
  if (request.method !== 'POST' && request.method !== 'PUT') return { params }
  if (isUpload(request)) {
    const { fields, file } = decodeMultipart(request, await readBody(request))
    return { params: new Map([...params, ...fields]), file }
  }
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim() ?? ''
  if (!/^(|application\/x-www-form-urlencoded|application\/json)$/.test(type)) {
    throw new PveError(506, `upload 'Content-Type '${type}' not implemented`, { plain: true })
  }
  const body = (await readBody(request)).toString('utf8')
  const fields = type === 'application/json' ? decodeJson(body, version) : decodeForm(body)
  for (const [name, value] of fields) params.set(name, value)
  return { params }
}

import { createHash, randomBytes } from 'node:crypto'
import type { Answered, Asked } from '../stand-in-server.ts'

const REALM = 'monero-rpc'
const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

/** HTTP Digest as monero-wallet-rpc has it: a nonce is good on its own connection only. */
export function digestGate() {
  const nonces = new Map<number, string>()
  return (asked: Asked, login: string, letIn: () => Answered): Answered => {
    const nonce = nonces.get(asked.connection)
    if (nonce !== undefined && isRight(asked, login, nonce)) return letIn()
    const fresh = randomBytes(16).toString('base64')
    nonces.set(asked.connection, fresh)
    const challenge = (algorithm: string) =>
      `Digest qop="auth",algorithm=${algorithm},realm="${REALM}",nonce="${fresh}",stale=false`
    return {
      status: 401,
      body: 'Unauthorized Access',
      headers: { 'WWW-authenticate': [challenge('MD5'), challenge('MD5-sess')] },
    }
  }
}

function isRight({ headers, method, path }: Asked, login: string, nonce: string): boolean {
  const header = headers.authorization ?? ''
  const part = (name: string) => new RegExp(`\\b${name}="?([^",]+)"?`).exec(header)?.[1] ?? ''
  const [user = '', password = ''] = login.split(':')
  const secret = md5(`${user}:${REALM}:${password}`)
  const asked = md5(`${method}:${path}`)
  const wanted = md5(`${secret}:${nonce}:${part('nc')}:${part('cnonce')}:auth:${asked}`)
  return part('username') === user && part('nonce') === nonce && part('response') === wanted
}

type Request = { method: string; params: Record<string, unknown> }

/** Undefined for what is no JSON. */
export function asksFor(body: string): Request | undefined {
  try {
    const { method, params = {} } = JSON.parse(body) as Partial<Request>
    return { method: method ?? '', params }
  } catch {
    return undefined
  }
}

import { createHash, randomBytes } from 'node:crypto'

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

/** One challenge of several: monero-wallet-rpc offers MD5 and MD5-sess, and knows nothing newer. */
const CHALLENGE = /Digest\s+((?:[a-z]+=(?:"[^"]*"|[^\s,"]+),?\s*)+)/gi
const PART = /([a-z]+)=(?:"([^"]*)"|([^\s,"]+))/gi

type Request = { method: string; path: string }

/** The header that answers a server's challenge (RFC 7616); undefined if it asks for something else. */
export function digestAnswer(
  challenges: string | undefined,
  login: string,
  { method, path }: Request,
): string | undefined {
  const known = [...(challenges ?? '').matchAll(CHALLENGE)].map(([, text]) => partsOf(text ?? ''))
  const challenge = known.find(({ algorithm = 'MD5' }) => algorithm.toUpperCase() === 'MD5')
  if (!challenge?.nonce || challenge.realm === undefined) return undefined
  const { nonce, realm } = challenge
  const [user = ''] = login.split(':', 1)
  const password = login.slice(user.length + 1)
  const cnonce = randomBytes(16).toString('hex')
  const count = '00000001'
  const secret = md5(`${user}:${realm}:${password}`)
  const response = md5(`${secret}:${nonce}:${count}:${cnonce}:auth:${md5(`${method}:${path}`)}`)
  const quoted = { username: user, realm, nonce, uri: path, cnonce, response }
  const parts = Object.entries(quoted).map(([name, value]) => `${name}="${value}"`)
  return `Digest ${parts.join(', ')}, algorithm=MD5, qop=auth, nc=${count}`
}

function partsOf(text: string): Record<string, string> {
  const parts = [...text.matchAll(PART)].map(([, name = '', quoted, plain]) => [
    name.toLowerCase(),
    quoted ?? plain ?? '',
  ])
  return Object.fromEntries(parts) as Record<string, string>
}

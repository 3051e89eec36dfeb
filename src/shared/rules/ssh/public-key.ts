import { DAMAGED, isKeyType, keyRefusal } from './key-types.ts'
import { fromBase64, readFields, toBase64 } from './wire.ts'

type PublicKey = {
  type: string
  /** Type and key without a comment, in the one spelling of each. */
  publicKey: string
  /** What followed the key in its line, such as `robin@laptop`. */
  comment: string
}

type Reading = { ok: true; key: PublicKey } | { ok: false; sentence: string }

const NOT_A_KEY =
  'This is not a public key. Paste the line that begins with ssh-ed25519, ssh-rsa, ecdsa-sha2-… ' +
  'or sk-… from the .pub file.'

/** What people paste instead, by how it looks. The first that fits counts. */
const MISTAKES: readonly [looks: RegExp, sentence: string][] = [
  [
    // The second is how the content of OpenSSH's own files begins, the third is PuTTY's file.
    /- ?BEGIN [A-Z0-9 ]*PRIVATE KEY|b3BlbnNzaC1rZXktdjE|PuTTY-User-Key-File/,
    'This is a private key. Paste the line that begins with ssh-… from the .pub file.',
  ],
  [
    /---- BEGIN SSH2 PUBLIC KEY/,
    'This is the format of PuTTY and SSH2. Paste the one line that PuTTYgen shows at the top, or ' +
      'what ssh-keygen -i -f prints for this file.',
  ],
  [
    /-BEGIN [A-Z0-9 ]*(PUBLIC KEY|CERTIFICATE)/,
    'This is not the format of SSH. Paste the line that begins with ssh-… from the .pub file.',
  ],
  [
    /^\S+-cert-v\d+@openssh\.com(\s|$)/,
    'This is a certificate. Paste the public key that it certifies.',
  ],
  [/^ssh-dss(\s|$)/, 'DSA is refused: it is broken. Make a new key: ssh-keygen -t ed25519'],
]

/** Reads one line of a `.pub` file. Never throws. */
export function readPublicKey(text: string): Reading {
  const line = text.trim()
  const sentence = mistakeIn(line)
  if (sentence !== undefined) return { ok: false, sentence }
  const [type = '', base64 = '', ...comment] = line.split(/\s+/)
  const refusal = refusalOf(type, base64)
  if (refusal !== undefined) return { ok: false, sentence: refusal }
  return { ok: true, key: { type, publicKey: `${type} ${base64}`, comment: comment.join(' ') } }
}

function mistakeIn(line: string): string | undefined {
  if (line === '') return 'Please paste a public key'
  const known = MISTAKES.find(([looks]) => looks.test(line))
  if (known) return known[1]
  const lines = line.split(/[\r\n]+/)
  const begins = (one: string) => isKeyType(one.trim().split(/\s/)[0] ?? '')
  if (lines.filter(begins).length > 1) return 'These are several keys. Add them one at a time.'
  if (lines.length > 1) {
    return begins(line) ? 'A public key is one line. Remove the line breaks.' : NOT_A_KEY
  }
  if (begins(line)) return undefined
  const type = line.split(/\s+/).find(isKeyType)
  return type === undefined ? NOT_A_KEY : `Remove what is before ${type}: only the key is accepted.`
}

function refusalOf(type: string, base64: string): string | undefined {
  const blob = fromBase64(base64)
  const fields = blob && readFields(blob)
  return fields ? keyRefusal(type, fields) : DAMAGED
}

/** `SHA256:…` of a key that was read, as `ssh-keygen -l` prints it. */
export async function fingerprintOf(publicKey: string): Promise<string> {
  const blob = fromBase64(publicKey.split(' ')[1] ?? '')
  if (!blob) throw new TypeError('not a public key')
  const hash = await crypto.subtle.digest('SHA-256', blob)
  return `SHA256:${toBase64(new Uint8Array(hash)).replace(/=+$/, '')}`
}

import { type Bytes, fromBase64, toBase64 } from '#shared/rules/ssh/wire.ts'
import { type KeyPair, privateKeyFile, publicBlob } from './private-key-file.ts'

export type MadeKey = {
  /** Type and key, as in a `.pub` file without its comment. */
  publicKey: string
  /** The content of the file for `~/.ssh`. It never leaves the browser. */
  privateKeyFile: string
}

/** Makes an Ed25519 key in this browser. Fails where `canMakeKeys` is false. */
export async function makeKey(comment: string): Promise<MadeKey> {
  const pair = await makePair()
  return {
    publicKey: `ssh-ed25519 ${toBase64(publicBlob(pair))}`,
    privateKeyFile: privateKeyFile(pair, comment),
  }
}

/** False in older browsers, and on a page without https, where there is no `crypto.subtle`. */
export async function canMakeKeys(): Promise<boolean> {
  try {
    await makePair()
    return true
  } catch {
    return false
  }
}

/** The file's name: `id_ed25519_work_laptop`. */
export function keyFileName(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')
  return plain === '' ? 'id_ed25519' : `id_ed25519_${plain}`
}

async function makePair(): Promise<KeyPair> {
  const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error('The browser made no pair of keys')
  const { d = '', x = '' } = await crypto.subtle.exportKey('jwk', pair.privateKey)
  return { seed: fromBase64Url(d), publicHalf: fromBase64Url(x) }
}

const KEY_BYTES = 32

/** JSON Web Keys have another alphabet, and no padding. */
function fromBase64Url(text: string): Bytes {
  const plain = text.replaceAll('-', '+').replaceAll('_', '/')
  const bytes = fromBase64(plain.padEnd(Math.ceil(plain.length / 4) * 4, '='))
  if (bytes?.length !== KEY_BYTES) throw new Error('The browser made no Ed25519 key')
  return bytes
}

import { randomBytes } from 'node:crypto'
import {
  type Bytes,
  bytesOf,
  joinBytes,
  readFields,
  uint32,
  writeFields,
} from '#shared/rules/ssh/wire.ts'
import { NotSshError } from './ssh-input.ts'

/** The numbers of messages (RFC 4253 §12, RFC 5656 §7.1). */
export const MESSAGE = {
  disconnect: 1,
  ignore: 2,
  debug: 4,
  kexInit: 20,
  ecdhInit: 30,
  ecdhReply: 31,
} as const

/** RFC 8731; the second is its name from before. */
export const EXCHANGES = ['curve25519-sha256', 'curve25519-sha256@libssh.org']
/** Never in use, because the exchange ends before; but a server refuses a client without a match. */
const CIPHERS = [
  'chacha20-poly1305@openssh.com',
  'aes256-gcm@openssh.com',
  'aes256-ctr',
  'aes128-ctr',
]
const MACS = ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512', 'hmac-sha1']

const COOKIE_BYTES = 16
const NAME_LISTS = 10
/** SSH_DISCONNECT_BY_APPLICATION */
const BY_APPLICATION = 11

export const toBytes = (buffer: Uint8Array): Bytes => Uint8Array.from(buffer)

const message = (number: number, ...parts: Bytes[]): Bytes =>
  joinBytes([Uint8Array.of(number), ...parts])

/** RFC 4253 §7.1. At its end: no guessed packet follows, and a reserved zero. */
export function kexInit(algorithms: readonly string[]): Bytes {
  const lists = [EXCHANGES, algorithms, CIPHERS, CIPHERS, MACS, MACS, ['none'], ['none'], [], []]
  const names = writeFields(lists.map((list) => bytesOf(list.join(','))))
  return message(MESSAGE.kexInit, toBytes(randomBytes(COOKIE_BYTES)), names, new Uint8Array(5))
}

export const ecdhInit = (point: Bytes): Bytes => message(MESSAGE.ecdhInit, writeFields([point]))

export const farewell = (): Bytes =>
  message(MESSAGE.disconnect, uint32(BY_APPLICATION), writeFields([bytesOf('done'), bytesOf('')]))

/** The ways of exchange and the algorithms of host keys that a KEXINIT names. */
export function readKexInit(init: Bytes): { exchanges: string[]; algorithms: string[] } {
  const buffer = Buffer.from(init)
  const lists: string[][] = []
  let at = 1 + COOKIE_BYTES
  while (lists.length < NAME_LISTS) {
    if (at + 4 > buffer.length) throw new NotSshError('a list of names is missing')
    const start = at + 4
    at = start + buffer.readUInt32BE(at)
    if (at > buffer.length) throw new NotSshError('a list of names is cut short')
    lists.push(buffer.toString('latin1', start, at).split(','))
  }
  const [exchanges = [], algorithms = []] = lists
  return { exchanges, algorithms }
}

export function readEcdhReply(reply: Bytes): { key: Bytes; point: Bytes; signature: Bytes } {
  const [key, point, signature, ...more] = readFields(reply.subarray(1)) ?? []
  if (!key || !point || !signature || more.length > 0) {
    throw new NotSshError('the answer has other fields')
  }
  return { key, point, signature }
}

/** A positive number as RFC 4251 §5 writes it: no zeros in front but one that keeps it positive. */
export function mpint(number: Bytes): Bytes {
  const first = number.findIndex((byte) => byte !== 0)
  if (first < 0) return new Uint8Array()
  const digits = number.subarray(first)
  return (digits[0] ?? 0) < 0x80 ? digits : joinBytes([new Uint8Array(1), digits])
}

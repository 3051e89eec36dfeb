import type { Socket } from 'node:net'

/** Everything a server may send until its key is known; the longest true answers are a few kB. */
const TOTAL_MAX = 65_536
/** RFC 4253 §4.2: a version line has at most 255 bytes. The same is enough for lines before it. */
const LINE_MAX = 255
/** RFC 4253 §6.1 */
const PACKET_MAX = 35_000
const BLOCK = 8
const PADDING_MIN = 4
const LF = 10

/** What arrives is not SSH, or not what was agreed. Never leaves this folder. */
export class NotSshError extends Error {}

/** Reads lines and unencrypted packets. Throws where the other side breaks a rule or hangs up. */
export type SshInput = {
  /** Bytes received so far. */
  readonly heard: number
  line(): Promise<string>
  packet(): Promise<Buffer>
}

export function sshInput(socket: Socket): SshInput {
  const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let waiting: Buffer = Buffer.alloc(0)
  let heard = 0

  const more = async () => {
    const { value, done } = await chunks.next()
    if (done) throw new NotSshError('the connection was closed')
    heard += value.length
    if (heard > TOTAL_MAX) throw new NotSshError('too much was sent')
    waiting = Buffer.concat([waiting, value])
  }
  const take = async (size: number): Promise<Buffer> => {
    while (waiting.length < size) await more()
    const taken = waiting.subarray(0, size)
    waiting = waiting.subarray(size)
    return taken
  }

  return {
    get heard() {
      return heard
    },

    async line() {
      let end = waiting.indexOf(LF)
      while (end < 0) {
        if (waiting.length > LINE_MAX) throw new NotSshError('a line is too long')
        await more()
        end = waiting.indexOf(LF)
      }
      if (end > LINE_MAX) throw new NotSshError('a line is too long')
      return (await take(end + 1)).toString('latin1').replace(/\r?\n$/, '')
    },

    /** RFC 4253 §6: length, length of the padding, payload, padding. */
    async packet() {
      const length = (await take(4)).readUInt32BE()
      const isWhole = length <= PACKET_MAX && (length + 4) % BLOCK === 0
      if (!isWhole) throw new NotSshError('the length of a packet is wrong')
      const body = await take(length)
      const padding = body[0] ?? 0
      if (padding < PADDING_MIN || padding + 1 >= length) {
        throw new NotSshError('the padding of a packet is wrong')
      }
      return body.subarray(1, length - padding)
    },
  }
}

/** The payload as an unencrypted packet. */
export function toPacket(payload: Uint8Array): Buffer {
  const padding = BLOCK - ((payload.length + 5) % BLOCK)
  const whole = padding < PADDING_MIN ? padding + BLOCK : padding
  const head = Buffer.alloc(5)
  head.writeUInt32BE(payload.length + whole + 1)
  head[4] = whole
  return Buffer.concat([head, payload, Buffer.alloc(whole)])
}

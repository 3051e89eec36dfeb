import { connect, isIP } from 'node:net'
import { type Watch, watch } from './watch.ts'

const PORT = 3389
const PATIENCE_MS = 5000

/** A request to connect with TLS or NLA, as every viewer of Remote Desktop begins (MS-RDPBCGR 2.2.1.1). */
const REQUEST = Buffer.from('030000130ee000000000000100080003000000', 'hex')
const CONFIRMED = 0xd0
/** Without and with the answer to our offer of TLS and NLA. */
const ANSWER_BYTES = [11, 19]
const HEAD_BYTES = 6

type Place = { port?: number; patienceMs?: number }

/** Whether a Remote Desktop server answers there. It is never signed in to. */
export const watchRdp = (
  address: string,
  { port = PORT, patienceMs = PATIENCE_MS }: Place = {},
): (() => boolean) & Pick<Watch<true>, 'hasAsked'> => {
  const confirmed = watch(async () =>
    (await confirmsConnection({ address, port, patienceMs })) ? true : undefined,
  )
  return Object.assign(() => confirmed() ?? false, { hasAsked: confirmed.hasAsked })
}

function confirmsConnection({
  address,
  port,
  patienceMs,
}: { address: string } & Required<Place>): Promise<boolean> {
  if (isIP(address) === 0) return Promise.resolve(false)
  return new Promise((resolve) => {
    let head = Buffer.alloc(0)
    const socket = connect({ host: address, port, signal: AbortSignal.timeout(patienceMs) })
    socket.once('connect', () => socket.write(REQUEST))
    socket.on('data', (bytes) => {
      head = Buffer.concat([head, bytes.subarray(0, HEAD_BYTES)])
      if (head.length >= HEAD_BYTES) socket.destroy()
    })
    // Each failure ends in a close.
    socket.on('error', () => undefined)
    socket.once('end', () => socket.destroy())
    socket.once('close', () => resolve(isConfirmation(head)))
  })
}

function isConfirmation(head: Buffer): boolean {
  if (head.length < HEAD_BYTES) return false
  const bytes = head.readUInt16BE(2)
  return (
    head[0] === 3 && ANSWER_BYTES.includes(bytes) && head[4] === bytes - 5 && head[5] === CONFIRMED
  )
}

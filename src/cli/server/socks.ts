import type { Socket } from 'node:net'
import { Failure } from '../terminal/failure.ts'
import type { SocksProxy } from './address.ts'

/** RFC 1928: version 5, one way to sign in, which is none. */
const GREETING = Buffer.from([5, 1, 0])
const CONNECT_BY_NAME = [5, 1, 0, 3]
/** How long the address in an answer is, by its type. */
const ADDRESS_BYTES: Record<number, number> = { 1: 4, 4: 16 }

const REFUSALS: Record<number, string> = {
  2: 'The SOCKS proxy does not allow this connection.',
  3: 'The SOCKS proxy cannot reach the network of the server.',
  4: 'The SOCKS proxy cannot reach the server.',
  5: 'The server refused the connection of the SOCKS proxy.',
}

const refused = (sentence: string) => new Failure('unreachable', sentence)

/** For a proxy that is not there, breaks off or stays silent. */
export const proxyFailure = ({ host, port }: SocksProxy, problem: string): Failure =>
  refused(
    `The SOCKS proxy ${host}:${port} ${problem}. Check that it runs and that --socks names it.`,
  )

/**
 * Asks a SOCKS5 proxy for a connection to this host. The proxy resolves the name, so that no DNS
 * server near us learns it.
 */
export async function throughSocks(socket: Socket, host: string, port: number): Promise<void> {
  const name = Buffer.from(host)
  if (name.length > 255) throw refused('The name of the server is too long for a SOCKS proxy.')
  const read = reader(socket)
  socket.write(GREETING)
  const [version, method] = await read(2)
  if (version !== 5) throw refused('What answers at the address of --socks is not a SOCKS5 proxy.')
  if (method !== 0) throw refused('The SOCKS proxy wants a password, which is not supported.')

  const portBytes = Buffer.from([port >> 8, port & 0xff])
  socket.write(Buffer.concat([Buffer.from([...CONNECT_BY_NAME, name.length]), name, portBytes]))
  const [, reply = 1, , type = 0] = await read(4)
  if (reply !== 0) throw refused(REFUSALS[reply] ?? 'The SOCKS proxy could not connect.')
  const length = ADDRESS_BYTES[type] ?? (await read(1))[0] ?? 0
  await read(length + 2)
}

/** Reads exactly as many bytes as asked for; what follows stays in the socket. */
function reader(socket: Socket) {
  return async (amount: number): Promise<Buffer> => {
    for (;;) {
      const chunk = socket.read(amount) as Buffer | null
      if (chunk?.length === amount) return chunk
      if (chunk || socket.readableEnded || socket.destroyed) {
        throw new Error('closed')
      }
      await new Promise<void>((done) => {
        const go = () => {
          for (const event of ['readable', 'end', 'close']) socket.off(event, go)
          done()
        }
        for (const event of ['readable', 'end', 'close']) socket.once(event, go)
      })
    }
  }
}

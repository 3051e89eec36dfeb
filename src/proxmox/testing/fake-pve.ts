import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { createTls, fingerprint, renewLeaf } from '#pve-sim/tls/certificates.ts'
import type { Pin } from '../transport/tls.ts'

/**
 * A node that sends the answers a test prescribes, for wire faults that no real node would show.
 */
export type FakeRequest = {
  method: string
  path: string
  query: URLSearchParams
  form: URLSearchParams
  headers: IncomingMessage['headers']
}

export type FakeAnswer =
  | { status?: number; reason?: string; data?: unknown; raw?: string; errors?: unknown }
  | 'cut-body'
  | 'hang'
  | 'reset'

export type FakePve = {
  port: number
  pin: Pin
  requests: FakeRequest[]
  connections: number
  server: Server
  close(): Promise<void>
}

const spec = { clusterId: 'fake', fqdn: 'fake.test', names: ['localhost', '127.0.0.1'] }

export const fakeTls = () => createTls({ ...spec, now: Date.now() })
export const renewedTls = (tls: ReturnType<typeof fakeTls>) =>
  renewLeaf(tls, { ...spec, now: Date.now() })
export const pinOf = (tls: ReturnType<typeof fakeTls>): Pin => ({
  fingerprint: fingerprint(tls.leafPem),
  pem: tls.leafPem,
})

export async function startFakePve(
  answer: (request: FakeRequest, count: number) => FakeAnswer | Promise<FakeAnswer>,
  options: { tls?: ReturnType<typeof fakeTls>; port?: number; ticketKeys?: Buffer } = {},
): Promise<FakePve> {
  const { tls = fakeTls(), ticketKeys } = options
  const sockets = new Set<Socket>()
  const requests: FakeRequest[] = []
  const keys = ticketKeys ? { ticketKeys } : {}
  const server = createServer(
    { key: tls.leafKey, cert: tls.leafPem, ...keys },
    (message, reply) => {
      void respond(message, reply)
    },
  )
  const respond = async (message: IncomingMessage, reply: ServerResponse) => {
    const url = new URL(message.url ?? '/', 'https://fake')
    const chunks: Buffer[] = []
    for await (const chunk of message) chunks.push(chunk)
    const request = {
      method: message.method ?? '',
      path: url.pathname.replace('/api2/json', ''),
      query: url.searchParams,
      form: formOf(message.headers['content-type'], Buffer.concat(chunks)),
      headers: message.headers,
    }
    requests.push(request)
    write(reply, await answer(request, requests.length))
  }
  const fake = { port: 0, pin: pinOf(tls), requests, connections: 0, server, close: async () => {} }
  server.on('connection', (socket: Socket) => {
    fake.connections += 1
    sockets.add(socket)
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  fake.port = (server.address() as AddressInfo).port
  fake.close = async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  return fake
}

/** The fields of an upload, with the file's name as the value of its part. */
function formOf(type = '', body: Buffer): URLSearchParams {
  const boundary = /boundary=(.+)$/.exec(type)?.[1]
  if (boundary === undefined) return new URLSearchParams(body.toString())
  const parts = body.toString('latin1').split(`--${boundary}`).slice(1, -1)
  const PART = /name="([^"]+)"(?:; filename="([^"]+)")?[\s\S]*?\r\n\r\n([\s\S]*)\r\n$/
  const fields = parts.map((part): [string, string] => {
    const [, name = '', file, value = ''] = PART.exec(part) ?? []
    return [name, file ?? value]
  })
  return new URLSearchParams(fields)
}

function write(reply: ServerResponse, answer: FakeAnswer): void {
  if (answer === 'hang') return
  if (answer === 'reset') {
    reply.socket?.destroy()
    return
  }
  if (answer === 'cut-body') {
    reply.writeHead(200, { 'content-length': 1000 }).write('{"data":')
    setImmediate(() => reply.socket?.destroy())
    return
  }
  const { status = 200, reason = 'OK', data = null, errors, raw } = answer
  reply.writeHead(status, reason, { 'content-type': 'application/json;charset=UTF-8' })
  reply.end(raw ?? JSON.stringify({ data, ...(errors ? { errors } : {}) }))
}

import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'

export type RoundRobin = {
  url: string
  /** How many requests each server behind it answered. */
  answered: number[]
  /** How many each of them accepted and did not answer. */
  lost: number[]
  close(): Promise<void>
}

/**
 * A reverse proxy: sends each request to the next server, or to another one if that does not
 * listen. A request that a server accepted and did not answer is lost, and the caller gets an
 * error.
 */
export async function startRoundRobin(urls: string[]): Promise<RoundRobin> {
  const ports = urls.map((url) => Number(new URL(url).port))
  const answered = ports.map(() => 0)
  const lost = ports.map(() => 0)
  // No keep-alive: a kept connection may lead to a server that has just exited.
  const agent = new Agent({ keepAlive: false })
  let turn = 0
  const next = () => {
    turn = (turn + 1) % ports.length
    return turn
  }

  const forward = (
    incoming: IncomingMessage,
    body: Buffer,
    outgoing: ServerResponse,
    tries = ports.length,
  ) => {
    const index = next()
    const { method, url, headers } = incoming
    const upstream = request({
      agent,
      port: ports[index],
      host: '127.0.0.1',
      method,
      path: url,
      headers,
    })
    upstream.on('response', (reply) => {
      answered[index] = (answered[index] ?? 0) + 1
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(outgoing)
      reply.on('error', () => outgoing.destroy())
    })
    upstream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' && tries > 1) forward(incoming, body, outgoing, tries - 1)
      else {
        lost[index] = (lost[index] ?? 0) + 1
        if (outgoing.headersSent) outgoing.destroy()
        else outgoing.writeHead(502).end()
      }
    })
    outgoing.on('close', () => upstream.destroy())
    upstream.end(body)
  }

  // Buffered until a server has accepted it: another one must receive all of it.
  const server = createServer((incoming, outgoing) => {
    buffer(incoming).then(
      (body) => forward(incoming, body, outgoing),
      () => outgoing.destroy(),
    )
  })
  const sockets = new Set<Duplex>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('upgrade', ({ method, url, rawHeaders }, socket: Duplex, head: Buffer) => {
    const upstream = connect(ports[next()] ?? 0, '127.0.0.1', () => {
      const pairs = rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`))
      upstream.write(`${method} ${url} HTTP/1.1\r\n${pairs.join('')}\r\n`)
      upstream.write(head)
      upstream.pipe(socket).pipe(upstream)
    })
    const end = () => {
      upstream.destroy()
      socket.destroy()
    }
    upstream.on('error', end)
    socket.on('error', end)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    answered,
    lost,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

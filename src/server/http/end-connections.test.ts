import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../config/config.ts'
import { endConnections } from './end-connections.ts'
import { createFastify } from './server.ts'

/** Longer than any test. */
const PATIENT_MS = 1_000_000

function server(goodbyeMs: number): FastifyInstance {
  const app = fastify()
  endConnections(app, goodbyeMs)
  return app
}

/** A connection to a server that has received this and waits for the rest. */
async function connectionTo(app: FastifyInstance, sent = ''): Promise<Socket> {
  const { port } = app.server.address() as AddressInfo
  const accepted = once(app.server, 'connection') as Promise<[Socket]>
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  const [received] = await accepted
  socket.resume().write(sent)
  await vi.waitFor(() => expect(received.bytesRead).toBe(sent.length))
  return socket
}

/** The other end hears of it a moment later. */
const expectClosed = (connection: Socket) =>
  expect.poll(() => connection.destroyed, { timeout: 10_000 }).toBe(true)

test('a server that stops answers what is under way and does not wait for its connection', async () => {
  const app = server(PATIENT_MS)
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<string>()
  app.get('/slow', () => {
    arrived.resolve()
    return released.promise
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const answer = fetch(`${url}/slow`).then((reply) => reply.text())
  await arrived.promise
  const closed = app.close()
  await vi.waitFor(() => expect(app.server.listening).toBe(false))
  released.resolve('done')
  expect(await answer).toBe('done')
  await closed
})

test('a server that stops does not wait for a connection that has sent nothing', async () => {
  const app = server(PATIENT_MS)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const connection = await connectionTo(app)
  await app.close()
  await expectClosed(connection)
})

const HEAD = 'POST /asked HTTP/1.1\r\nhost: a\r\n'

test.each([
  ['a request without its end', HEAD],
  ['half a body', `${HEAD}content-type: application/json\r\ncontent-length: 9\r\n\r\n{"a"`],
])('a server that stops does not wait long for %s', async (_what, sent) => {
  const app = server(50)
  app.post('/asked', () => 'never')
  await app.listen({ host: '127.0.0.1', port: 0 })
  const connection = await connectionTo(app, sent)
  await app.close()
  await expectClosed(connection)
})

test('every server of ours ends its connections so', async () => {
  const app = createFastify(readConfig({ LOG_LEVEL: 'silent' }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const connection = await connectionTo(app)
  await app.close()
  await expectClosed(connection)
})

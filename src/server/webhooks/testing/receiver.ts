import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { vi } from 'vitest'
import { atEnd } from '../../testing/at-end.ts'

export type Received = { id: string; headers: Record<string, string>; body: string }
type Answer = (response: ServerResponse) => void

const taken: Answer = (response) => response.writeHead(204).end()

/** Where a webhook leads to: keeps every call, and answers as a test says. */
export async function startReceiver() {
  const received: Received[] = []
  const state: { answer: Answer; onCall: () => Promise<void> } = {
    answer: taken,
    onCall: async () => undefined,
  }
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const headers = request.headers as Record<string, string>
    const id = headers['webhook-id'] ?? ''
    received.push({ id, headers, body: Buffer.concat(chunks).toString('utf8') })
    await state.onCall()
    state.answer(response)
  }
  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => request.socket.destroy(error))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  atEnd(() => {
    server.closeAllConnections()
    return new Promise((done) => server.close(done))
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    state,
    /** What has come since the last time. */
    news: () => received.splice(0),
    answers(status: number, body = '') {
      state.answer = (response) => response.writeHead(status).end(body)
    },
    takes() {
      state.answer = taken
    },
  }
}

/** As a receiver does it: by the package of Standard Webhooks, at this time, and not by our code. */
export function verify(secret: string, { headers, body }: Received, now: Date): unknown {
  vi.useFakeTimers({ now, toFake: ['Date'] })
  try {
    return new Webhook(secret).verify(body, headers)
  } finally {
    vi.useRealTimers()
  }
}

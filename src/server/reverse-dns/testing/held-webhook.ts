import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEnd } from '../../testing/at-end.ts'

type Told = { type: string; address?: string; hostname?: string | null }

/** A webhook that takes every name, at once or when the test says so. */
export async function heldWebhook() {
  const asked: Told[] = []
  let held: { asked: () => void; released: Promise<void> } | undefined
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    asked.push(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Told)
    const now = held
    held = undefined
    now?.asked()
    await now?.released
    response.writeHead(204).end()
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => request.socket.destroy(error))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  atEnd(() => {
    server.closeAllConnections()
    return new Promise((done) => server.close(done))
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    namesOf: (address: string) =>
      asked.filter((one) => one.address === address).map(({ hostname }) => hostname),
    /** Keeps the next call waiting. */
    hold() {
      const arrival = Promise.withResolvers<void>()
      const end = Promise.withResolvers<void>()
      held = { asked: arrival.resolve, released: end.promise }
      return { isAsked: arrival.promise, release: end.resolve }
    },
  }
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEnd } from './at-end.ts'

type Serve = (request: IncomingMessage, response: ServerResponse, body: string) => Promise<void>

/** A web server on the loopback until the test ends. Returns its address. */
export async function webServer(serve: Serve): Promise<string> {
  const server = createServer((request, response) => {
    textOf(request)
      .then((body) => serve(request, response, body))
      .catch((error: Error) => request.socket.destroy(error))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  atEnd(() => {
    server.closeAllConnections()
    return new Promise((done) => server.close(done))
  })
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

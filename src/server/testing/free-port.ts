import { createServer } from 'node:net'

/** A port of this machine that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(0, '127.0.0.1', listening)
  })
  const bound = server.address()
  await new Promise((closed) => server.close(closed))
  if (typeof bound !== 'object' || bound === null) throw new Error('no port was free')
  return bound.port
}

import { createServer, type Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { hasSshBanner, watchSsh } from './ssh-banner.ts'

const open = new Set<() => void>()
afterEach(() => {
  for (const close of open) close()
  open.clear()
})

/** Listens, and treats whoever connects like this. */
async function listening(greet: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    greet(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.add(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

const byByte = (socket: Socket, text: string) => {
  for (const byte of text) socket.write(byte)
}

const ask = (port: number) => hasSshBanner('127.0.0.1', { port, patienceMs: 200 })

test.each<[string, boolean, (socket: Socket) => void]>([
  ['an SSH server', true, (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n')],
  ['one that sends byte by byte', true, (socket) => byByte(socket, 'SSH-2.0')],
  ['a web server', false, (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n')],
  ['one that says nothing', false, () => undefined],
  ['one that begins and stops', false, (socket) => socket.write('SS')],
  ['one that hangs up', false, (socket) => socket.destroy()],
])('%s: %s', async (_, expected, greet) => {
  expect(await ask(await listening(greet))).toBe(expected)
})

test('a closed port is no answer', async () => {
  const port = await listening(() => undefined)
  for (const close of open) close()
  expect(await ask(port)).toBe(false)
})

test('a watch never waits, and learns of the answer', async () => {
  let isUp = false
  const port = await listening((socket) => (isUp ? socket.write('SSH-2.0-x\r\n') : socket.end()))
  const hasSsh = watchSsh('127.0.0.1', { port, patienceMs: 200 })
  expect(hasSsh()).toBe(false)
  isUp = true
  await vi.waitFor(() => expect(hasSsh()).toBe(true), { timeout: 5000, interval: 20 })
})

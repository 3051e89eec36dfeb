import { expect, onTestFinished, test, vi } from 'vitest'
import { listen } from '../../ssh/testing/ssh-server.ts'
import { watchRdp } from './watch-rdp.ts'

const soon = { timeout: 10_000, interval: 20 }

/** A server that answers the first bytes it gets with these. */
async function answering(hex: string) {
  const asked: string[] = []
  const server = await listen((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      asked.push(bytes.toString('hex'))
      socket.write(Buffer.from(hex, 'hex'))
      if (hex === '') socket.end()
    })
  })
  onTestFinished(server.close)
  return { asked, hasRdp: watchRdp('127.0.0.1', { port: server.port, patienceMs: 300 }) }
}

test.each([
  ['that takes TLS', '030000130ed000001234000200080001000000'],
  ['that refuses our offer', '030000130ed000001234000300080002000000'],
  ['from before TLS', '0300000b06d00000123400'],
])('a Remote Desktop server %s is an answer', async (_, hex) => {
  const { asked, hasRdp } = await answering(hex)
  expect(hasRdp()).toBe(false)
  await vi.waitFor(() => expect(hasRdp()).toBe(true), soon)
  expect(asked).toEqual(['030000130ee000000000000100080003000000'])
})

test.each([
  ['says nothing', ''],
  ['refuses the connection', '030000130e8000001234000200080001000000'],
  ['speaks SSH', Buffer.from('SSH-2.0-OpenSSH_9.2\r\n').toString('hex')],
  ['breaks off too early', '0300001306'],
  ['gives a wrong length', '030000ff0ed000001234000200080001000000'],
  ['gives a length of another protocol', '030000100bd0000012340002000800'],
])('a server that %s is none, and is asked again', async (_, hex) => {
  const { asked, hasRdp } = await answering(hex)
  await vi.waitFor(() => {
    expect(hasRdp()).toBe(false)
    expect(asked.length).toBeGreaterThan(2)
  }, soon)
})

test('a name is never asked for', async () => {
  const hasRdp = watchRdp('localhost')
  hasRdp()
  await Promise.resolve()
  expect(hasRdp()).toBe(false)
})

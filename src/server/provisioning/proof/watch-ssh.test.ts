import { expect, onTestFinished, test, vi } from 'vitest'
import { listen, startSshServer, TEST_KEYS } from '../../ssh/testing/ssh-server.ts'
import { watchSsh } from './watch-ssh.ts'

const watch = (port: number) => watchSsh('127.0.0.1', { port, patienceMs: 2000 })

test('a watch never waits, and learns of a proven key', async () => {
  const server = await startSshServer({ keys: [TEST_KEYS.ed25519()] })
  onTestFinished(server.close)
  const keys = watch(server.port)
  expect(keys()).toBeUndefined()
  await vi.waitFor(() => expect(keys()).toMatchObject([{ type: 'ssh-ed25519' }]), {
    timeout: 10_000,
    interval: 20,
  })
})

test('a banner alone is no proof: it asks again', async () => {
  let asked = 0
  const server = await listen((socket) => {
    asked += 1
    socket.end('SSH-2.0-nothing behind it\r\n')
  })
  onTestFinished(server.close)
  const keys = watch(server.port)
  await vi.waitFor(
    () => {
      expect(keys()).toBeUndefined()
      expect(asked).toBeGreaterThan(4)
    },
    { timeout: 10_000, interval: 20 },
  )
})

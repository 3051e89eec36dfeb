import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { proxmoxClient } from '../client.ts'
import { failureOf } from '../testing/failure-of.ts'
import { type FakePve, startFakePve } from '../testing/fake-pve.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const vm = { node: 'pve1', vmid: 100 }
/** The characters of the April 2026 passwords: every one of them needs encoding. */
const ticket = '!":%+#/?:PVEVNC:5FBE5DEC::a+/='

async function consoleNode(
  onSocket: (socket: WebSocket, request: IncomingMessage) => void,
  password?: string,
) {
  const fake = await startFakePve(() => ({ data: { ticket, port: '5901', password } }))
  const server = new WebSocketServer({ server: fake.server, handleProtocols: () => 'binary' })
  server.on('connection', onSocket)
  cleanups.push(fake.close)
  return fake
}

function clientOf(...nodes: (FakePve & { node?: string })[]) {
  const [first, ...others] = nodes.map(({ port, pin, node }) => {
    return { host: '127.0.0.1', port, pin, ...(node ? { node } : {}) }
  })
  if (!first) throw new Error('no hosts')
  const auth = { kind: 'token', tokenId: 'vps@pve!app', secret: 'uuid' } as const
  const client = proxmoxClient({ hosts: [first, ...others], auth, timeouts: { requestMs: 1000 } })
  cleanups.push(client.close)
  return client
}

describe('a console', () => {
  it('opens with an intact ticket and the same credentials, and loses no early byte', async () => {
    const seen: IncomingMessage[] = []
    const fake = await consoleNode((socket, request) => {
      seen.push(request)
      socket.send('RFB 003.008\n')
    })
    const { stream, password } = await clientOf(fake).vnc.open(vm)
    const [greeting] = await once(stream, 'data')
    expect(String(greeting)).toBe('RFB 003.008\n')
    expect(password).toBe(ticket)
    expect(fake.requests[0]?.form.toString()).toBe('websocket=1')
    const url = new URL(seen[0]?.url ?? '', 'https://fake')
    expect(url.searchParams.get('vncticket')).toBe(ticket)
    expect(url.searchParams.get('port')).toBe('5901')
    expect(seen[0]?.headers.authorization).toBe('PVEAPIToken=vps@pve!app=uuid')
    expect(seen[0]?.headers['sec-websocket-extensions']).toBeUndefined()
    stream.destroy()
  })

  it('prefers the password that PVE sends separately', async () => {
    const fake = await consoleNode(() => {}, 'abcdefgh')
    const { stream, password } = await clientOf(fake).vnc.open(vm)
    expect(password).toBe('abcdefgh')
    stream.destroy()
  })

  it('never sends a frame PVE would refuse, and keeps every byte in order', async () => {
    const frames: Buffer[] = []
    const fake = await consoleNode((socket) => {
      socket.on('message', (data: Buffer) => frames.push(data))
    })
    const { stream } = await clientOf(fake).vnc.open(vm)
    const sent = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251))
    await new Promise<void>((resolve, reject) => {
      stream.write(sent, (error) => (error ? reject(error) : resolve()))
    })
    stream.end()
    const received = () => frames.reduce((sum, frame) => sum + frame.length, 0)
    await expect.poll(received, { timeout: 20_000 }).toBe(sent.length)
    expect(Math.max(...frames.map((frame) => frame.length))).toBe(128 * 1024)
    expect(Buffer.concat(frames).equals(sent)).toBe(true)
  })

  it('ends for the reader when the VM goes away', async () => {
    const fake = await consoleNode((socket) => socket.close())
    const { stream } = await clientOf(fake).vnc.open(vm)
    stream.resume()
    await once(stream, 'end')
  })

  it('makes both calls to the node of the VM where its address is known', async () => {
    const sockets: string[] = []
    const far = await consoleNode(() => sockets.push('far'))
    const near = await consoleNode(() => sockets.push('near'))
    const client = clientOf({ ...far, node: 'pve2' }, { ...near, node: 'pve1' })
    const { stream } = await client.vnc.open(vm)
    stream.destroy()
    expect(sockets).toEqual(['near'])
    expect(far.requests).toEqual([])
    expect(near.requests).toHaveLength(1)
  })

  it('opens through another node when the nearest cannot be reached', async () => {
    const gone = await consoleNode(() => {})
    await gone.close()
    cleanups.pop()
    const good = await consoleNode(() => {})
    const { stream } = await clientOf(
      { ...gone, node: 'pve1' },
      { ...good, node: 'pve2' },
    ).vnc.open(vm)
    stream.destroy()
    expect(good.requests).toHaveLength(1)
  })

  it('that is refused says why', async () => {
    const fake = await startFakePve(({ path }) =>
      path.endsWith('/vncproxy')
        ? { data: { ticket, port: 5901 } }
        : { status: 403, reason: 'Permission check failed (/vms/100, VM.Console)' },
    )
    cleanups.push(fake.close)
    expect(await failureOf(clientOf(fake).vnc.open(vm))).toEqual({
      kind: 'forbidden',
      path: '/vms/100',
      privileges: ['VM.Console'],
    })
  })

  it('that never answers ends at its deadline', async () => {
    const fake = await startFakePve(({ path }) =>
      path.endsWith('/vncproxy') ? { data: { ticket, port: 5901 } } : 'hang',
    )
    cleanups.push(fake.close)
    expect(await failureOf(clientOf(fake).vnc.open(vm))).toEqual({
      kind: 'unreachable',
      reason: 'timeout',
    })
  })
})

import { type AddressInfo, createServer, type Socket, connect as tcp } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { openCommandLine, stage } from '../testing/stage.ts'
import { openSession } from './session.ts'

const { hushbox } = openCommandLine()

const FAVOURS = Buffer.from([5, 0])
const CONNECTED = Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])

/** A server on a port of its own that treats every connection in this way. */
async function listen(treat: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => socket.destroy()))
    treat(socket)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Leads every wish to this port, and remembers which name was wished for. */
const leadTo =
  (port: number, names: string[] = []) =>
  (socket: Socket) => {
    socket.once('data', () => {
      socket.write(FAVOURS)
      socket.once('data', (wish) => {
        names.push(wish.subarray(5, 5 + (wish[4] ?? 0)).toString())
        socket.write(CONNECTED)
        socket.pipe(tcp(port, '127.0.0.1')).pipe(socket)
      })
    })
  }

const resets = (socket: Socket) => void socket.once('data', () => socket.resetAndDestroy())

/** A session that tries once more at once, and waits a moment for each answer. */
const sessionThrough = (port: number, idempotencyKey?: string) =>
  openSession(
    {
      url: new URL('http://shop.onion'),
      key: 'hbx_key',
      proxy: { host: '127.0.0.1', port },
      idempotencyKey,
    },
    { pause: async () => undefined, timeoutMs: 200 },
  )

const ADVICE = 'Check that it runs and that --socks names it.'

test('a SOCKS proxy gets the name, not an address', async () => {
  const s = await stage({ status: 200, body: [] })
  const names: string[] = []
  const port = await listen(leadTo(Number(new URL(s.url).port), names))
  const env = { HUSHBOX_URL: 'http://shop.onion', HUSHBOX_KEY: 'hbx_key' }
  const listed = await hushbox(`servers list -o json --socks 127.0.0.1:${port}`, env)
  expect([listed.code, listed.out, names], listed.err).toEqual([0, '[]\n', ['shop.onion']])
  expect(s.asked[0]?.headers.host).toBe('shop.onion')
  s.close()
})

describe('a SOCKS proxy that fails is named, with what to do', () => {
  const greets = (then: (socket: Socket) => void) => (socket: Socket) =>
    socket.once('data', () => {
      socket.write(FAVOURS)
      socket.once('data', () => then(socket))
    })
  const silent = (socket: Socket) => void socket.resume()
  const closed = 'closed the connection'
  const late = 'did not answer in time'

  test.each([
    ['resets', resets, closed],
    ['hangs up', (socket: Socket) => void socket.end(), closed],
    ['resets after the greeting', greets((socket) => socket.resetAndDestroy()), closed],
    ['is silent', silent, late],
    ['is silent after the greeting', greets(silent), late],
  ])('where it %s', async (_, treat, problem) => {
    const port = await listen(treat)
    const listed = sessionThrough(port).call(api.client.instances)
    await expect(listed).rejects.toMatchObject({
      exit: 'unreachable',
      message: `The SOCKS proxy 127.0.0.1:${port} ${problem}. ${ADVICE}`,
    })
  })

  test('where there is none', async () => {
    const listed = sessionThrough(1).call(api.client.instances)
    await expect(listed).rejects.toThrow(`127.0.0.1:1 cannot be reached. ${ADVICE}`)
  })
})

describe('a purchase through a SOCKS proxy', () => {
  const buy = (port: number, key?: string) =>
    sessionThrough(port, key).call(api.marketplace.trial, { params: { tokenId: '7' }, body: {} })

  test('names its key where the proxy resets the second try', async () => {
    const s = await stage({ status: 0, isCut: true })
    const lead = leadTo(Number(new URL(s.url).port))
    let tries = 0
    const port = await listen((socket) => {
      tries += 1
      if (tries === 1) lead(socket)
      else resets(socket)
    })
    await expect(buy(port)).rejects.toThrow(
      /closed the.* --idempotency-key [\w-]{36}, and it takes/,
    )
    expect([tries, s.asked.length]).toEqual([2, 1])
    s.close()
  })

  test('names the key it was given, for an earlier try may have arrived', async () => {
    const port = await listen(resets)
    await expect(buy(port, 'mine')).rejects.toThrow(
      /--idempotency-key mine, and it takes effect once/,
    )
  })

  test('that was never sent names none', async () => {
    const port = await listen(resets)
    await expect(buy(port)).rejects.toThrow(/--socks names it\.$/)
  })
})

test.each([
  ['broken off', (socket: Socket) => void socket.resetAndDestroy()],
  ['never finished', () => undefined],
])('an answer that is %s is no answer', async (_, leave) => {
  const port = await listen((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n[', () =>
        setTimeout(leave, 20, socket),
      )
    })
  })
  const session = openSession(
    { url: new URL(`http://127.0.0.1:${port}`), key: 'hbx_key' },
    { pause: async () => undefined, timeoutMs: 100 },
  )
  await expect(session.call(api.client.instances)).rejects.toThrow(/does not answer\.$/)
})

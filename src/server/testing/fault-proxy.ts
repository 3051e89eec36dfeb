import { connect, createServer, type Socket } from 'node:net'

/**
 * - `pass`: forwarded
 * - `cut`: not forwarded, and the connection is reset
 * - `cut-answer`: forwarded, and the connection is reset when the answer comes
 */
type Verdict = 'pass' | 'cut' | 'cut-answer'

export type FaultProxy = {
  port: number
  /** The same address through this proxy. */
  through(url: string): string
  /** Decides about what a client sends; without it everything passes. */
  judge: ((bytes: Buffer) => Verdict) | undefined
  /** New connections are reset at once. */
  isRefusing: boolean
  /** Drops everything in both directions, silently. */
  isSwallowing: boolean
  /** Leads new connections elsewhere, as an address does after a fail-over. */
  lead(port: number): void
  /** Resets every open connection; returns how many there were. */
  cut(): number
  close(): Promise<void>
}

/** An unreliable network between a server process and its PostgreSQL. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  let port = Number(new URL(target).port)
  const open = new Set<() => void>()

  const server = createServer((near) => {
    if (proxy.isRefusing) return void near.resetAndDestroy()
    const far = connect(port, '127.0.0.1')
    const end = () => {
      open.delete(end)
      near.resetAndDestroy()
      far.resetAndDestroy()
    }
    open.add(end)
    let isLastWord = false
    forward(near, far, (bytes) => {
      if (proxy.isSwallowing) return false
      const verdict = proxy.judge?.(bytes) ?? 'pass'
      if (verdict === 'cut') end()
      if (verdict === 'cut-answer') isLastWord = true
      return verdict !== 'cut'
    })
    forward(far, near, () => {
      if (isLastWord) end()
      return !isLastWord && !proxy.isSwallowing
    })
    for (const side of [near, far]) {
      side.on('error', end)
      side.on('close', end)
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const own = typeof address === 'object' && address !== null ? address.port : 0

  const proxy: FaultProxy = {
    port: own,
    through(url) {
      const through = new URL(url)
      through.port = String(own)
      return through.href
    },
    judge: undefined,
    isRefusing: false,
    isSwallowing: false,
    lead(next) {
      port = next
    },
    cut() {
      const count = open.size
      for (const end of open) end()
      return count
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        for (const end of open) end()
      }),
  }
  return proxy
}

function forward(from: Socket, to: Socket, isAllowed: (bytes: Buffer) => boolean): void {
  from.on('data', (bytes: Buffer) => {
    if (isAllowed(bytes) && !to.destroyed) to.write(bytes)
  })
}

import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import { z } from 'zod'
import type { Caller } from '../transport/call.ts'
import { startDeadline, stopReason } from '../transport/clock.ts'
import { failureOfConnect } from '../transport/connect-failure.ts'
import type { Host } from '../transport/hosts.ts'
import { tlsOptions } from '../transport/tls.ts'
import { maybeText, number } from '../wire/answers.ts'
import { failureOfAnswer } from '../wire/classify.ts'
import { encodeForm, path } from '../wire/encoding.ts'
import { type Failure, isProxmoxError, ProxmoxError } from '../wire/errors.ts'
import type { VmRef } from './vm-answers.ts'
import { socketStream } from './vnc-stream.ts'

/** Fits a whole uncompressed 4K screen in one message; it only guards against endless ones. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

export const VncProxy = z.object({
  ticket: z.string(),
  port: number,
  user: maybeText,
  upid: maybeText,
  password: maybeText,
})
export type VncProxy = z.output<typeof VncProxy>

export type VncConnection = {
  /** RFB in both directions. Ends when the VM stops, moves or reboots. */
  stream: Duplex
  /**
   * RFB password: newer versions send it separately, in older ones it is the ticket (facts §15).
   */
  password: string
  upid: string | undefined
}

/** What a cluster's own console page needs to open. */
export type VncTicket = { host: string; port: number; node: string; ticket: string }

export function vncCalls(call: Caller, { connectMs }: { connectMs: number }) {
  /**
   * The first host that accepts it, nearest first. After `unreachable` and `tls` nothing was sent.
   */
  const prepare = async (vm: VmRef, options: { signal?: AbortSignal }) => {
    const at = path`/nodes/${vm.node}/qemu/${vm.vmid}/vncproxy`
    const queue = new Set([call.hosts.nearest(vm.node), ...call.hosts.inOrder()])
    let failure: unknown
    for (const via of queue) {
      if (via === undefined) continue
      try {
        const given = { ...options, parameters: { websocket: true }, via }
        return { via, proxy: await call.send('POST', at, VncProxy, given) }
      } catch (error) {
        // An unused port closes by itself, so it makes no difference whether it was opened.
        if (isProxmoxError(error, 'unknown-outcome')) {
          const failure = { kind: 'unreachable', reason: 'timeout' } as const
          throw new ProxmoxError(failure, error.message, { cause: error })
        }
        if (!isProxmoxError(error, 'unreachable') && !isProxmoxError(error, 'tls')) throw error
        failure ??= error
      }
    }
    throw failure
  }

  /**
   * Opens the VM's screen. Both calls go to the same host, because the second connects to a port on
   * the localhost of whichever node it reaches, and within 10 s, because the port closes then.
   */
  const open = async (
    vm: VmRef,
    options: { signal?: AbortSignal } = {},
  ): Promise<VncConnection> => {
    const { proxy, via } = await prepare(vm, options)
    const stream = await connect(call, { via, vm, proxy, connectMs, signal: options.signal })
    return { stream, password: proxy.password ?? proxy.ticket, upid: proxy.upid }
  }
  /** Only the ticket, for a caller that connects by itself. */
  const ticket = async (vm: VmRef, options: { signal?: AbortSignal } = {}): Promise<VncTicket> => {
    const { proxy, via } = await prepare(vm, options)
    return { host: via.address.host, port: proxy.port, node: vm.node, ticket: proxy.ticket }
  }
  return { open, ticket }
}

type Target = {
  via: Host
  vm: VmRef
  proxy: VncProxy
  connectMs: number
  signal: AbortSignal | undefined
}

async function connect(call: Caller, target: Target): Promise<Duplex> {
  const { via, vm, proxy, connectMs } = target
  const at = path`/nodes/${vm.node}/qemu/${vm.vmid}/vncwebsocket`
  const query = encodeForm({ port: proxy.port, vncticket: proxy.ticket })
  const { host, port, pin } = via.address
  const origin = `wss://${host.includes(':') ? `[${host}]` : host}:${port}`
  const deadline = startDeadline(connectMs, { aborted: target.signal, closed: call.closed })
  try {
    const { headers } = await call.credentials(deadline.signal)
    const socket = new WebSocket(`${origin}/api2/json${at.path}?${query}`, ['binary'], {
      ...tlsOptions(pin),
      headers: headers('GET'),
      perMessageDeflate: false,
      followRedirects: false,
      maxPayload: MAX_MESSAGE_BYTES,
    })
    return await opened(socket, {
      signal: deadline.signal,
      isPinned: pin !== undefined,
      at: at.path,
    })
  } finally {
    deadline.stop()
  }
}

function opened(
  socket: WebSocket,
  { signal, isPinned, at }: { signal: AbortSignal; isPinned: boolean; at: string },
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const fail = (failure: Failure, cause?: unknown) => {
      signal.removeEventListener('abort', onAbort)
      reject(new ProxmoxError(failure, `GET ${at}: the console did not open`, { cause }))
      socket.on('error', () => {})
      socket.terminate()
    }
    const onAbort = () => fail({ kind: 'unreachable', reason: stopReason(signal) })
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort)
    socket.once('error', (error) => fail(failureOfConnect(error, { pinned: isPinned }), error))
    socket.once('unexpected-response', (_, answer) => {
      const { statusCode: status = 500, statusMessage: message = '' } = answer
      fail(failureOfAnswer({ status, message, isRepeatable: true }))
    })
    socket.once('open', () => {
      signal.removeEventListener('abort', onAbort)
      socket.removeAllListeners()
      // At once: data that arrives before a listener is attached is lost.
      resolve(socketStream(socket))
    })
  })
}

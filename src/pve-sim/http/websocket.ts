import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { createWebSocketStream, WebSocketServer } from 'ws'
import type { Context } from '../context/context.ts'
import { forcedAnswer, isCut, meet } from '../faults/fault-answers.ts'
import type { Fault } from '../faults/fault-board.ts'
import { type Answer, failure } from '../wire/answer.ts'
import { decodeForm } from '../wire/decode.ts'
import { die } from '../wire/errors.ts'
import { execute, type Find, identify } from './execute.ts'
import { apiPath, type RequestLog, record, splitUrl } from './request-handler.ts'

/** PVE accepts no larger frame and no compression from a client. */
const MAX_FRAME = 128 * 1024

type UpgradeDeps = { sim: Context; find: Find; requests: RequestLog }

function write(socket: Duplex, { status, reason, type, body }: Answer): void {
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nServer: pve-api-daemon/3.0\r\nConnection: close\r\n` +
      `${type ? `Content-Type: ${type}\r\n` : ''}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

/** vncwebsocket: the same checks as any call, then a tunnel to the VNC port. */
export function upgradeHandler({ sim, find, requests }: UpgradeDeps) {
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME,
    handleProtocols: (offered) => (offered.has('binary') ? 'binary' : false),
  })

  function accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { path, query } = splitUrl(request.url ?? '/')
    const incoming = { request, path: apiPath(path) ?? path, params: decodeForm(query) }
    const caller = identify(sim, incoming)
    execute(sim, find, caller, incoming)
    const [, , , vmid = ''] =
      /^\/nodes\/([^/]+)\/(qemu)\/(\d+)\/vncwebsocket$/.exec(incoming.path) ?? []
    const port = Number(incoming.params.get('port'))
    const session = sim.consoles.waitingAt(port)
    const vm = sim.state.vms.get(Number(vmid))
    if (!vm || session?.vmid !== vm.vmid) {
      throw die(`connect to 'localhost:${port}' failed: Connection refused`)
    }
    server.handleUpgrade(request, socket, head, (ws) => {
      const stream = createWebSocketStream(ws)
      stream.on('error', () => stream.destroy())
      sim.consoles.attach(session, vm, stream)
    })
  }

  /** Undefined if the connection was upgraded. */
  function refusal(request: IncomingMessage, socket: Duplex, head: Buffer, faults: Fault[]) {
    const forced = faults.map(forcedAnswer).find((answer) => answer !== undefined)
    if (forced) return forced
    try {
      accept(request, socket, head)
      return undefined
    } catch (error) {
      return failure(error, sim.state.version)
    }
  }

  return {
    async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
      socket.on('error', () => socket.destroy())
      const url = request.url ?? '/'
      const { path } = splitUrl(url)
      const faults = sim.faults.strike('GET', apiPath(url) ?? path)
      if (faults.some(isCut)) socket.destroy()
      if ((await meet(sim, faults, socket)) === 'gone' || socket.destroyed) return
      const refused = refusal(request, socket, head, faults)
      record(requests, 'GET', path, refused?.status ?? 101)
      if (!refused) return
      if (refused.status === 401) await sim.timers.pause(sim.authDelayMs)
      write(socket, refused)
    },
    close(): void {
      for (const client of server.clients) client.terminate()
      server.close()
    },
  }
}

import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { Failure } from '../terminal/failure.ts'
import type { SocksProxy } from './address.ts'
import { proxyFailure, throughSocks } from './socks.ts'

export type Question = {
  method: string
  /** With the query. */
  path: string
  headers: Record<string, string>
  body?: string | undefined
  signal: AbortSignal
}
export type Answer = { status: number; text: string; retryAfter: number }

/** One request over a connection of its own, directly or through a SOCKS proxy. */
export async function ask(
  url: URL,
  proxy: SocksProxy | undefined,
  question: Question,
): Promise<Answer> {
  const socket = await open(url, proxy, question.signal)
  try {
    const answer = await exchange(url, socket, question)
    const body = await text(answer)
    const retryAfter = Number(answer.headers['retry-after'] ?? 0)
    return { status: answer.statusCode ?? 0, text: body, retryAfter }
  } finally {
    socket.destroy()
  }
}

async function open(url: URL, proxy: SocksProxy | undefined, signal: AbortSignal): Promise<Socket> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const socket = connectTcp({ ...(proxy ?? { host, port }), autoSelectFamily: true })
  const broken = breakOf(socket)
  const stop = () => socket.destroy(new Error('timed out'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    const unlessBroken = (step: Promise<unknown>, problem: string) =>
      Promise.race([step, broken]).catch((error: unknown) => {
        if (!proxy || error instanceof Failure) throw error
        throw proxyFailure(proxy, signal.aborted ? 'did not answer in time' : problem)
      })
    await unlessBroken(once(socket, 'connect'), 'cannot be reached')
    if (proxy) await unlessBroken(throughSocks(socket, host, port), 'closed the connection')
    if (url.protocol !== 'https:') return socket
    const secured = connectTls({ socket, ...(isIP(host) ? { host } : { servername: host }) })
    await Promise.race([once(secured, 'secureConnect'), breakOf(secured), broken])
    return secured
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/**
 * Rejects with the first error of a socket, or when it closes. The listener stays for the life of
 * the socket: an error without one ends the process, whatever is being waited for.
 */
const breakOf = (socket: Socket): Promise<never> =>
  new Promise((_, failed) => {
    socket.on('error', failed)
    socket.once('close', () => failed(new Error('closed')))
  })

async function exchange(url: URL, socket: Socket, question: Question): Promise<IncomingMessage> {
  const { method, path, headers, body, signal } = question
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const asked = request({
    method,
    path,
    signal,
    headers: { host: url.host, connection: 'close', ...headers, ...length },
    createConnection: () => socket,
  })
  asked.end(body)
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return answer
}

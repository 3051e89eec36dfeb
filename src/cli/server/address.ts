import { isIP } from 'node:net'
import { misuse } from '../terminal/failure.ts'

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

export const isOnion = ({ hostname }: URL): boolean => hostname.endsWith('.onion')

/** The address of a server, without a path. The key must not travel in the clear. */
export function parseAddress(text: string): URL {
  const written = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`
  const url = URL.canParse(written) ? new URL(written) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw misuse(`${text} is not the address of a server. Write it as https://vps.example.`)
  }
  const isPrivate = LOOPBACK.test(url.hostname) || isOnion(url)
  if (url.protocol === 'http:' && !isPrivate) {
    throw misuse(`The key would travel unprotected to ${url.host}. Use https://${url.host}.`)
  }
  return new URL(url.origin)
}

export type SocksProxy = { host: string; port: number }

/** `host:port` of a SOCKS5 proxy, such as Tor's 127.0.0.1:9050. */
export function parseProxy(text: string): SocksProxy {
  const [, host = '', port = ''] = /^(?:socks5h?:\/\/)?(.+):(\d{1,5})$/.exec(text) ?? []
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  const isHost = isIP(bare) !== 0 || /^[a-z\d.-]+$/i.test(bare)
  if (!isHost || Number(port) < 1 || Number(port) > 65_535) {
    throw misuse(`${text} is not a SOCKS proxy. Write it as host:port, such as 127.0.0.1:9050.`)
  }
  return { host: bare, port: Number(port) }
}

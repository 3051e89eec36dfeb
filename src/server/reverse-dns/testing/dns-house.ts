import { Resolver } from 'node:dns/promises'
import { atEnd } from '../../testing/at-end.ts'

type Started = { url: string; key: string; resolver: string; close(): Promise<void> }
type Type = 'A' | 'AAAA' | 'PTR'

/** A running PowerDNS, with what a test needs to fill it and to ask it like anyone else. */
export function dnsHouse<S extends Started>(server: S) {
  atEnd(() => server.close())
  const resolver = new Resolver({ timeout: 5000, tries: 2 })
  resolver.setServers([server.resolver])

  const call = async (method: string, path: string, body: object) => {
    const reply = await fetch(`${server.url}/api/v1/servers/localhost/zones${path}`, {
      method,
      headers: { 'x-api-key': server.key },
      body: JSON.stringify(body),
    })
    return { status: reply.status, text: await reply.text() }
  }

  return {
    ...server,
    call,
    addZone: (zone: string) =>
      call('POST', '', { name: `${zone}.`, kind: 'Native', nameservers: ['ns.example.net.'] }),
    put: (zone: string, name: string, type: Type, content: string) => {
      const change = { name: `${name}.`, type, ttl: 60, changetype: 'REPLACE' }
      const records = [{ content, disabled: false }]
      return call('PATCH', `/${zone}.`, { rrsets: [{ ...change, records }] })
    },
    /** What it answers to a real question; empty if there is no such record. */
    async ptr(name: string): Promise<string[]> {
      try {
        return await resolver.resolvePtr(name)
      } catch (error) {
        const { code } = error as { code?: unknown }
        if (code === 'ENOTFOUND' || code === 'ENODATA') return []
        throw error
      }
    },
  }
}
export type DnsHouse = ReturnType<typeof dnsHouse<Started>>

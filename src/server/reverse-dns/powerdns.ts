import { z } from 'zod'
import { zoneOf } from '#shared/rules/reverse-dns/reverse-name.ts'
import type { Reach } from '../lib/net/guarded-call.ts'
import { callDnsServer } from './call-dns-server.ts'
import { away, type DnsServer, rejected } from './dns-server.ts'

/** The only server that an installation of PowerDNS has. */
const PATH = '/api/v1/servers/localhost/zones'
const TTL_SECONDS = 3600

const Zones = z.array(z.object({ id: z.string(), name: z.string(), kind: z.string() }))
const Refusal = z.object({ error: z.string() })
type Zone = z.output<typeof Zones>[number]

/** PowerDNS ends names with a dot. */
const withDot = (name: string) => `${name}.`
const withoutDot = (name: string) => name.replace(/\.$/, '').toLowerCase()

/** By the HTTP API of PowerDNS's authoritative server. */
export function powerDns({ url, key }: { url: string; key: string }, reach: Reach): DnsServer {
  const call = async (method: 'GET' | 'PATCH', path: string, body?: object) => {
    const { status, text } = await callDnsServer(
      {
        method,
        url: `${url}${path}`,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      },
      reach,
    )
    if (status === 200 || status === 204) return text
    if (status === 401 || status === 403) throw away('PowerDNS does not accept the key.')
    const said = Refusal.safeParse(asJson(text)).data?.error
    if (said !== undefined && status >= 400 && status < 500 && status !== 404) {
      throw rejected(`PowerDNS refused it: ${said.slice(0, 200)}`)
    }
    throw away(`${url} answered ${status} instead of PowerDNS: is it the address of its API?`)
  }

  const zones = async (): Promise<Zone[]> => {
    const parsed = Zones.safeParse(asJson(await call('GET', PATH)))
    if (parsed.success) return parsed.data
    throw away(`${url} does not answer like PowerDNS: is it the address of its API?`)
  }

  return {
    async tell({ name, hostname }) {
      const all = await zones()
      const found = zoneOf(
        name,
        all.map((zone) => withoutDot(zone.name)),
      )
      const zone = all.find((one) => withoutDot(one.name) === found)
      if (!zone) {
        // What is nowhere is forgotten already.
        if (hostname === null) return
        throw rejected(`PowerDNS has no zone for ${name}. Create it there, or correct the pool.`)
      }
      const record = { name: withDot(name), type: 'PTR' }
      const change =
        hostname === null
          ? { ...record, changetype: 'DELETE' }
          : {
              ...record,
              changetype: 'REPLACE',
              ttl: TTL_SECONDS,
              records: [{ content: withDot(hostname), disabled: false }],
            }
      await call('PATCH', `${PATH}/${encodeURIComponent(zone.id)}`, { rrsets: [change] })
    },

    async check(wanted) {
      const all = await zones()
      const names = all.map((zone) => withoutDot(zone.name))
      const missing = wanted.filter(
        // A zone for the part of a network that is below the pool's serves as well.
        (zone) => !names.some((one) => one === zone || isWithin(zone, one) || isWithin(one, zone)),
      )
      if (missing.length > 0) {
        throw rejected(`PowerDNS answers, but has no zone ${missing.join(', ')}. Create it there.`)
      }
      const count = all.length === 1 ? '1 zone' : `${all.length} zones`
      const need = wanted.length === 0 ? '' : ', with those of the pools among them'
      return `PowerDNS answers with ${count}${need}.`
    },
  }
}

const isWithin = (name: string, zone: string): boolean => name.endsWith(`.${zone}`)

/** Undefined if the text is not JSON, such as a proxy's error page. */
function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

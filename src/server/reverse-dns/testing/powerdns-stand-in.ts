import { z } from 'zod'
import { reverseName } from '#shared/rules/reverse-dns/reverse-name.ts'
import { type Answered, type Asked, startStandIn } from '../../payments/testing/stand-in-server.ts'
import { type DnsRecord, startNameServer } from './name-server.ts'

const PATH = '/api/v1/servers/localhost/zones'
export const KEY = 'a key of PowerDNS'

const Change = z.object({
  name: z.string(),
  type: z.string(),
  changetype: z.enum(['REPLACE', 'DELETE']),
  ttl: z.number().int().optional(),
  records: z.array(z.object({ content: z.string(), disabled: z.boolean() })).optional(),
})
type Change = z.output<typeof Change>

const failure = (status: number, error: string): Answered => ({ status, body: { error } })
const no = (error: string): Answered => ({ status: 422, body: { error } })
/** As PowerDNS writes a name into an address: 0/25 is 0=2F25. */
const idOf = (zone: string) => zone.replaceAll('/', '=2F')

/** PowerDNS's authoritative server as far as we use it, with a name server of its own. */
export async function startPowerDnsStandIn() {
  const zones = new Map<string, DnsRecord[]>()
  const dns = await startNameServer(() => [...zones.values()].flat())

  const refusalOf = (zone: string, { name, type, changetype, ttl, records }: Change) => {
    if (!name.endsWith('.')) return no(`DNS Name '${name}' is not canonical`)
    if (name !== zone && !name.endsWith(`.${zone}`)) {
      return no(`RRset ${name} IN ${type}: Name is out of zone`)
    }
    if (changetype === 'DELETE') return undefined
    if (ttl === undefined) return no("Key 'ttl' not an Integer or not present")
    const bad = records?.find(({ content }) => type === 'PTR' && !/^[^\s]+\.$/.test(content))
    return bad && no(`Record ${name}/${type} '${bad.content}': Not in expected format`)
  }

  const patch = (zone: string, body: string): Answered => {
    const parsed = z.object({ rrsets: z.array(Change) }).safeParse(asJson(body))
    if (!parsed.success) return no('No rrsets given in update request')
    const { rrsets } = parsed.data
    const refusal = rrsets.map((change) => refusalOf(zone, change)).find(Boolean)
    if (refusal) return refusal
    for (const { name, type, changetype, records = [] } of rrsets) {
      const others = (zones.get(zone) ?? []).filter((one) => one.name !== name || one.type !== type)
      const put = changetype === 'REPLACE' ? records : []
      zones.set(zone, [...others, ...put.map(({ content }) => ({ name, type, content }))])
    }
    return { status: 204, body: undefined }
  }

  const answer = ({ method, path, body }: Asked): Answered => {
    if (path === PATH && method === 'GET') {
      const all = [...zones.keys()].map((name) => ({ id: idOf(name), name, kind: 'Native' }))
      return { status: 200, body: all }
    }
    if (path === PATH && method === 'POST') {
      const { name } = z.object({ name: z.string() }).parse(asJson(body))
      if (!name.endsWith('.')) return no(`DNS Name '${name}' is not canonical`)
      if (zones.has(name))
        return { status: 409, body: { error: `Domain '${name}' already exists` } }
      zones.set(name, [])
      return { status: 201, body: { id: idOf(name), name, kind: 'Native' } }
    }
    const id = path.startsWith(`${PATH}/`) ? decodeURIComponent(path.slice(PATH.length + 1)) : ''
    const zone = [...zones.keys()].find((name) => idOf(name) === id)
    return zone !== undefined && method === 'PATCH' ? patch(zone, body) : failure(404, 'Not Found')
  }

  const http = await startStandIn((asked, { refusesKey }) =>
    !refusesKey && asked.headers['x-api-key'] === KEY
      ? answer(asked)
      : failure(401, 'Unauthorized'),
  )

  return {
    url: http.url,
    key: KEY,
    resolver: dns.address,
    faults: http.faults,
    dnsFaults: dns.faults,
    asked: http.asked,
    /** What an operator does in it by hand. */
    makeZone: (zone: string) => void zones.set(zone, []),
    addRecord: (zone: string, record: DnsRecord) => void zones.get(zone)?.push(record),
    ptrOf(address: string): string | undefined {
      const name = `${reverseName(address, 'in-addr.arpa')}.`
      return [...zones.values()].flat().find((one) => one.name === name)?.content
    },
    async close() {
      await http.close()
      await dns.close()
    },
  }
}

export type PowerDnsStandIn = Awaited<ReturnType<typeof startPowerDnsStandIn>>

/** Undefined for what is no JSON, which PowerDNS calls a bad request. */
function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

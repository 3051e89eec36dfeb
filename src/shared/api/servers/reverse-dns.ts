import { z } from 'zod'
import { canonicalIp } from '../../rules/network/ip.ts'
import { DOMAIN_NAME, domainName } from '../../rules/reverse-dns/domain-name.ts'
import { Id, idParams, Message, nothing, required, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

/** Whether the DNS server has what was wished for: it has, it is being told, or it did not take it. */
export const ReverseState = z.enum(['set', 'pending', 'failed'])

/** The name that an address is answered with. */
export const ReverseName = z.object({
  /** What it is, or is to become; null where it has none. */
  hostname: z.string().nullable(),
  /** Whether it is the one that every address of the pool has by itself. */
  isDefault: z.boolean(),
  state: ReverseState,
  /** Why it is not in force. */
  why: z.string().nullable(),
})
export type ReverseName = z.output<typeof ReverseName>

const checked = (parse: (text: string) => string | undefined, message: string) =>
  z
    .string({ error: message })
    .max(300, message)
    .transform((text, context) => {
      const parsed = parse(text)
      if (parsed !== undefined) return parsed
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    })
    .pipe(z.string())

const ReverseNameChange = z.object({
  address: checked(canonicalIp, 'Invalid IP address'),
  /** Null goes back to the name that the address has by itself, or to none. */
  hostname: checked(domainName, DOMAIN_NAME).nullable(),
})

/** Who is told of names: PowerDNS by its own API, or anything else by a call of ours. */
export const DnsServerKind = z.enum(['powerdns', 'webhook'], {
  error: 'Choose PowerDNS or a webhook',
})
export type DnsServerKind = z.output<typeof DnsServerKind>

const ADDRESS = 'Enter an address such as https://dns.example.net'

export const DnsServerFields = z.object({
  kind: DnsServerKind,
  url: z
    .url({ protocol: /^https?$/, error: ADDRESS })
    .max(300, ADDRESS)
    .refine((url) => !/[?#@]/.test(url), 'Enter the address without a name, a key or a question')
    .transform((url) => url.replace(/\/+$/, ''))
    .pipe(z.string()),
  /** The key of PowerDNS's API, or the secret that our calls are signed with. Absent: the stored one. */
  secret: required('Enter the key', 200).optional(),
})
export type DnsServerFields = z.output<typeof DnsServerFields>

const ReverseDns = z.object({
  /** Null: reverse DNS is not offered. The key is never shown. */
  server: z.object({ kind: DnsServerKind, url: z.string() }).nullable(),
  /** How many names are in force, and how many are being set or removed. */
  set: z.number().int().min(0),
  pending: z.number().int().min(0),
  /** What the DNS server did not take, the latest first; it is asked again by itself. */
  failed: z.array(
    z.object({
      address: z.string(),
      hostname: z.string().nullable(),
      instanceId: Id.nullable(),
      why: z.string(),
      nextAt: Timestamp,
    }),
  ),
})
export type ReverseDns = z.output<typeof ReverseDns>

export const reverseDns = {
  set: route({
    method: 'PUT',
    path: '/api/instances/:id/rdns',
    access: 'signed-in',
    staff: 'run',
    scope: 'servers:rebuild',
    isHarmless: true,
    summary: 'Set the reverse name of an address of a server, if the name leads to that address',
    params: idParams,
    body: ReverseNameChange,
    response: ReverseName,
  }),
  get: route({
    method: 'GET',
    path: '/api/reverse-dns',
    access: 'admin',
    staff: 'look',
    summary: 'The DNS server that reverse names are written to, and what it did not take',
    response: ReverseDns,
  }),
  connect: route({
    method: 'PUT',
    path: '/api/reverse-dns',
    access: 'admin',
    staff: 'run',
    summary: 'Name the DNS server that reverse names are written to',
    body: DnsServerFields,
    response: ReverseDns,
  }),
  disconnect: route({
    method: 'DELETE',
    path: '/api/reverse-dns',
    access: 'admin',
    staff: 'run',
    summary: 'Offer reverse DNS no longer; the names stay where they are',
    response: nothing,
    status: 204,
  }),
  test: route({
    method: 'POST',
    path: '/api/reverse-dns/test',
    access: 'admin',
    staff: 'run',
    summary: 'Ask a DNS server whether it would take names, without storing anything',
    body: DnsServerFields,
    response: Message,
  }),
}

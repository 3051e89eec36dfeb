import { z } from 'zod'
import { canonicalIp } from '../../rules/network/ip.ts'
import { poolProblems } from '../../rules/network/pool.ts'
import { zoneName } from '../../rules/reverse-dns/domain-name.ts'
import { namingProblems } from '../../rules/reverse-dns/naming.ts'
import {
  chosenId,
  Id,
  idParams,
  nothing,
  optionalText,
  orNull,
  required,
  Timestamp,
} from '../parts/fields.ts'
import { route } from '../parts/route.ts'

/** Every address is in exactly one of these. */
export const AddressState = z.enum(['free', 'held', 'used', 'reserved', 'cooling'])
export type AddressState = z.output<typeof AddressState>

const Ip = z
  .string({ error: 'Enter an address' })
  .transform((text, context) => {
    const address = canonicalIp(text)
    if (address !== undefined) return address
    context.addIssue({ code: 'custom', message: 'Invalid IP address' })
    return z.NEVER
  })
  .pipe(z.string())

const Family = z.union([z.literal(4), z.literal(6)], { error: 'Choose IPv4 or IPv6' })
const VLAN = 'VLAN must be a number from 1 to 4094'
const ZONE = 'A reverse zone looks like 113.0.203.in-addr.arpa'
const PREFIX = 'A prefix per server must be a number from 17 to 127'

/** The addresses of one network of a cluster, and those of them that clients get (P8). */
const PoolFields = z.object({
  clusterId: chosenId('Please select a cluster'),
  name: required('Pool name is required', 60),
  family: Family,
  cidr: z.string({ error: 'Network must look like 203.0.113.0/24' }).trim(),
  gateway: Ip,
  /** What clients get. A pool without a range hands out nothing: it is only proposed. */
  ranges: z.array(z.object({ first: Ip, last: Ip })).max(50),
  /** Never handed out, each for a reason that operators see. */
  reserved: z.array(z.object({ address: Ip, reason: optionalText(120).default('') })).max(500),
  bridge: z
    .string({ error: 'Bridge must be a name such as vmbr0' })
    .regex(/^[a-zA-Z][\w.-]{0,14}$/, 'Bridge must be a name such as vmbr0'),
  vlan: z.number({ error: VLAN }).int(VLAN).min(1, VLAN).max(4094, VLAN).nullish(),
  nameservers: z.array(Ip).min(1, 'Name at least one DNS server').max(3),
  searchDomain: optionalText(253).min(1, 'Search domain is required').default('localdomain'),
  /** The zone that names of its addresses are written to. */
  rdns: orNull(
    z.string().transform((text, context) => {
      const zone = zoneName(text)
      if (zone !== undefined) return zone
      context.addIssue({ code: 'custom', message: ZONE })
      return z.NEVER
    }),
  ),
  /** The name that each of its addresses has by itself, with `{ip}` or `{a}` to `{d}` in it. */
  rdnsPattern: orNull(optionalText(253)),
  /** IPv6: the size of the network that is routed to each server. */
  prefixPerServer: z
    .number({ error: PREFIX })
    .int(PREFIX)
    .min(17, PREFIX)
    .max(127, PREFIX)
    .nullish(),
})

/** Checked as a whole: gateway, ranges and reserved addresses must lie in the network. */
export const PoolBody = PoolFields.superRefine((pool, context) => {
  for (const { path, message } of [...poolProblems(pool), ...namingProblems(pool)]) {
    context.addIssue({ code: 'custom', path, message })
  }
})
export type PoolBody = z.output<typeof PoolBody>

const Count = z.number().int().min(0)

export const Pool = z.object({
  id: Id,
  clusterId: Id,
  clusterName: z.string(),
  name: z.string(),
  family: Family,
  cidr: z.string(),
  gateway: z.string(),
  ranges: z.array(z.object({ first: z.string(), last: z.string() })),
  reserved: z.array(z.object({ address: z.string(), reason: z.string() })),
  bridge: z.string(),
  vlan: z.number().int().nullable(),
  nameservers: z.array(z.string()),
  searchDomain: z.string(),
  rdns: z.string().nullable(),
  rdnsPattern: z.string().nullable(),
  prefixPerServer: z.number().int().nullable(),
  /** Of the addresses in its ranges. */
  counts: z.object({ free: Count, held: Count, used: Count, reserved: Count, cooling: Count }),
  createdAt: Timestamp,
})
export type Pool = z.output<typeof Pool>

export const PoolAddress = z.object({
  address: z.string(),
  state: AddressState,
  /** The token that holds it, or the server that has it. */
  server: z
    .object({ tokenId: Id.nullable(), instanceId: Id.nullable(), name: z.string() })
    .nullable(),
  /** Why it is reserved, or what else was seen to have it. */
  reason: z.string().nullable(),
  /** When it is free again. */
  until: Timestamp.nullable(),
})
export type PoolAddress = z.output<typeof PoolAddress>

const AddressPage = z.object({
  /** The addresses of the ranges from `offset` on, in order. */
  addresses: z.array(PoolAddress),
  offset: Count,
  total: Count,
  /** Addresses of its network that are in use or reserved, but lie in no range. */
  outside: z.array(PoolAddress),
})

/** As many addresses as one map shows. */
export const MAP_SIZE = 256

export const pools = {
  list: route({
    method: 'GET',
    path: '/api/pools',
    access: 'admin',
    staff: 'look',
    summary: 'The pools of addresses, with how many are free',
    response: z.array(Pool),
  }),
  create: route({
    method: 'POST',
    path: '/api/pools',
    idempotent: true,
    access: 'admin',
    staff: 'run',
    summary: 'Add a pool of addresses',
    body: PoolBody,
    response: Pool,
    status: 201,
  }),
  update: route({
    method: 'PUT',
    path: '/api/pools/:id',
    access: 'admin',
    staff: 'run',
    summary: 'Change a pool of addresses',
    params: idParams,
    body: PoolBody,
    response: Pool,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/pools/:id',
    access: 'admin',
    staff: 'run',
    summary: 'Remove a pool that no server has an address of',
    params: idParams,
    response: nothing,
    status: 204,
  }),
  addresses: route({
    method: 'GET',
    path: '/api/pools/:id/addresses',
    access: 'admin',
    staff: 'look',
    summary: 'The addresses of a pool and their states, in order',
    params: idParams,
    query: z.object({
      offset: z.coerce.number<number>().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
      limit: z.coerce.number<number>().int().min(1).max(1024).default(MAP_SIZE),
    }),
    response: AddressPage,
  }),
}

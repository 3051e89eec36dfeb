import { z } from 'zod'
import { FIREWALL_FAULTS } from '../../rules/network/firewall-faults.ts'
import { Id, idParams } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { Traffic } from '../parts/traffic.ts'
import { ReverseName } from './reverse-dns.ts'

/** How a server is connected, and what is let out of it. */
const Network = z.object({
  /** The one to connect to comes first; none before its delivery. */
  addresses: z.array(
    z.object({
      address: z.string(),
      family: z.literal([4, 6]),
      /** Null: reverse DNS is not offered for it. */
      rdns: ReverseName.nullable(),
    }),
  ),
  /** Networks that are routed to it, of which it may use every address. */
  prefixes: z.array(z.string()),
  macAddress: z.string().nullable(),
  /** Whether only packets with its own addresses leave it; if not, why. */
  antiSpoof: z.object({ ok: z.boolean(), why: z.string().nullable() }),
  /** Whether it may send mail to other servers, by port 25. */
  isMailOpen: z.boolean(),
  /** What its card is limited to now, in each direction; null is unlimited. */
  rateMbit: z.number().int().nullable(),
  traffic: Traffic,
})
export type Network = z.output<typeof Network>

/** A sold server from which forged packets may leave. */
const UnprotectedServer = z.object({
  id: Id,
  label: z.string(),
  cluster: z.string(),
  faults: z.array(z.enum(FIREWALL_FAULTS)),
  /** Whether its firewall would be set at a press: that of an older server is only looked at. */
  isToBeSet: z.boolean(),
})

const Protection = z.object({
  /** Sold servers whose firewall holds. */
  protected: z.number().int(),
  /** Those whose firewall does not, and how many of them would be set at a press. */
  total: z.number().int(),
  toBeSet: z.number().int(),
  /** How many servers each reason concerns, the most frequent first. */
  faults: z.array(z.object({ fault: z.enum(FIREWALL_FAULTS), servers: z.number().int() })),
  /** One page of them. */
  unprotected: z.array(UnprotectedServer),
  /** The id to pass as `after` for the next page; null at the end. */
  next: Id.nullable(),
})
export type Protection = z.output<typeof Protection>

const PAGE = 50

export const network = {
  get: route({
    method: 'GET',
    path: '/api/instances/:id/network',
    access: 'signed-in',
    staff: 'look',
    scope: 'servers:read',
    summary: 'How a server is connected, and whether forged packets are kept in it',
    params: idParams,
    response: Network,
  }),
  setMail: route({
    method: 'PUT',
    path: '/api/instances/:id/mail',
    access: 'admin',
    staff: 'run',
    summary: 'Open or close port 25 of a server, by which mail is sent to other servers',
    params: idParams,
    body: z.object({ isOpen: z.boolean() }),
    response: Network,
  }),
}

export const protection = {
  get: route({
    method: 'GET',
    path: '/api/protection',
    access: 'admin',
    staff: 'look',
    summary: 'The sold servers from which forged packets may leave, and why',
    query: z.object({
      /** Only those that do not hold for this reason. */
      fault: z.enum(FIREWALL_FAULTS).optional(),
      after: idParams.shape.id.optional(),
      limit: z.coerce.number<number>().int().min(1).max(200).default(PAGE),
    }),
    response: Protection,
  }),
  /** Repeating it changes nothing. */
  set: route({
    method: 'PUT',
    path: '/api/protection',
    access: 'admin',
    staff: 'run',
    summary: 'Set the firewall of every server that has none of ours yet, and keep it',
    response: z.object({ servers: z.number().int() }),
    status: 202,
  }),
}

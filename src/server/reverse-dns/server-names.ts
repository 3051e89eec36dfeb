import type { ReverseName } from '#shared/api/servers/reverse-dns.ts'
import { poolOf } from '#shared/rules/network/pool.ts'
import { reverseName } from '#shared/rules/reverse-dns/reverse-name.ts'
import { poolsOf } from '../addresses/pool-rows.ts'
import { holdersOf, type ReverseRow, rowsOn } from '../addresses/reverse-wishes.ts'
import type { Db } from '../db/database.ts'
import { isReverseDnsOffered } from './dns-server-store.ts'

export type Named = {
  address: string
  /** Where its PTR record is. */
  name: string
  instanceId: number
  ownerId: number
  row: ReverseRow | undefined
}

type Server = { id: number; clusterId: number }

/** Those of the addresses that were given to this server and whose pool has a zone for names. */
export async function namedAddresses(
  db: Db,
  { id, clusterId }: Server,
  list: readonly string[],
): Promise<Map<string, Named>> {
  const all = await poolsOf(db, [clusterId])
  if (all.every(({ rdns }) => rdns === null)) return new Map()
  const holders = await holdersOf(db, clusterId, list)
  const rows = await rowsOn(db, clusterId, list)
  const named = new Map<string, Named>()
  for (const address of list) {
    const holder = holders.get(address)
    const zone = poolOf(all, address)?.rdns ?? null
    const name = zone === null ? undefined : reverseName(address, zone)
    if (holder?.instanceId !== id || name === undefined) continue
    const row = rows.get(address)?.find((one) => one.name === name)
    named.set(address, { address, name, ...holder, row })
  }
  return named
}

/** The same, as the server's page shows them; none while no DNS server is named. */
export async function shownNames(
  db: Db,
  server: Server,
  list: readonly string[],
  reader: { isOperator: boolean },
): Promise<Map<string, ReverseName>> {
  if (list.length === 0 || !(await isReverseDnsOffered(db))) return new Map()
  const named = await namedAddresses(db, server, list)
  return new Map([...named].map(([address, { row }]) => [address, shownName(row, reader)]))
}

const FOR_CLIENTS = 'The DNS server has not taken it yet. It is asked again by itself.'

export function shownName(
  row: ReverseRow | undefined,
  { isOperator }: { isOperator: boolean },
): ReverseName {
  if (!row) return { hostname: null, isDefault: true, state: 'set', why: null }
  const { wanted, hostname, state, reason } = row
  const why = reason === null || isOperator ? reason : FOR_CLIENTS
  return { hostname: wanted, isDefault: hostname === null, state, why }
}

import { createHmac } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { parseCidr } from '#shared/rules/network/cidr.ts'
import { parseIp } from '#shared/rules/network/ip.ts'
import type { Db } from '../db/database.ts'
import { users } from '../db/schema/accounts.ts'
import { apiKeys } from '../db/schema/ssh-keys.ts'
import { batched } from '../lib/async/batch.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Random } from '../lib/random.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { ownKey } from '../secrets/own-key.ts'
import { type Actor, NO_SESSION } from '../sessions/actor.ts'
import { actorFields } from '../sessions/actor-fields.ts'
import { dayOf } from './spend-by-key.ts'

const PREFIX = 'hbx_'
const KEY = /^hbx_[\w-]{43}$/
const HINT_LENGTH = 8

export type ApiKeys = ReturnType<typeof createApiKeys>

type Found = { actor: Actor; isHere: boolean }

export function createApiKeys(deps: {
  db: Db
  clock: Clock
  random: Random
  keyring: Keyring
  log: Log
}) {
  const { db, clock, random, log } = deps
  const find = findTogether(db)
  let secret: string | undefined
  const hashOf = async (key: string): Promise<string> => {
    secret ??= await ownKey(db, 'api-key-hash', deps)
    return createHmac('sha256', secret).update(key).digest('base64url')
  }

  /** No call fails because its day could not be noted: a database that only reads still answers. */
  const noteUse = async (id: number, lastUsedOn: string): Promise<void> => {
    try {
      await db.update(apiKeys).set({ lastUsedOn }).where(eq(apiKeys.id, id))
    } catch (error) {
      log.warn({ err: error }, 'the last use of an API key could not be noted')
    }
  }

  return {
    /** A new key. Only its hash is to be stored. */
    async generate() {
      const key = `${PREFIX}${random.bytes(32).toString('base64url')}`
      return { key, keyHash: await hashOf(key), hint: key.slice(0, HINT_LENGTH) }
    },

    /**
     * The actor of a key; undefined for one that is unknown, over or revoked, or whose account is.
     * `isHere`: whether it can be used from this address. A visitor of an onion service has no address.
     */
    async resolve(key: string, address: string | undefined): Promise<Found | undefined> {
      if (!KEY.test(key)) return undefined
      const row = await find(await hashOf(key))
      if (!row) return undefined
      const { user, expiresAt, id, scopes, cidrs, instanceIds } = row
      const now = clock.now()
      const isOver = expiresAt !== null && expiresAt <= now
      // An operator's key would open every client's servers.
      if (isOver || !user.isActive || user.role !== 'client') return undefined
      const isHere = cidrs.length === 0 || cidrs.some((cidr) => isIn(cidr, address))
      if (isHere && row.lastUsedOn !== dayOf(now)) await noteUse(id, dayOf(now))
      const actor: Actor = {
        sessionId: NO_SESSION,
        user,
        admin: undefined,
        secondFactor: undefined,
        key: { id, scopes, instanceIds },
      }
      return { actor, isHere }
    },
  }
}

function isIn(cidr: string, address: string | undefined): boolean {
  const network = parseCidr(cidr)
  // An IPv4 visitor of a socket that speaks both is written as IPv6.
  const ip = parseIp((address ?? '').replace(/^::ffff:(?=[\d.]+$)/i, ''))
  if (!network || !ip || network.family !== ip.family) return false
  return ip.value >= network.first && ip.value <= network.last
}

/** Asked with every call by a key, so it is prepared, and concurrent calls share one. */
function findTogether(db: Db) {
  const query = db
    .select({
      keyHash: apiKeys.keyHash,
      id: apiKeys.id,
      scopes: apiKeys.scopes,
      cidrs: apiKeys.cidrs,
      instanceIds: apiKeys.instanceIds,
      expiresAt: apiKeys.expiresAt,
      lastUsedOn: apiKeys.lastUsedOn,
      user: actorFields(users),
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(sql`${apiKeys.keyHash} = any(${sql.placeholder('keyHashes')})`)
    .prepare('find_api_keys')
  return batched(async (keyHashes: string[]) => {
    const rows = await query.execute({ keyHashes })
    return new Map(rows.map((row) => [row.keyHash, row]))
  })
}

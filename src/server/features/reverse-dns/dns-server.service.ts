import { count, desc, eq, isNotNull, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { DnsServerFields, reverseDns as route } from '#shared/api/servers/reverse-dns.ts'
import { AppError } from '#shared/errors.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { pools, reverseNames } from '../../db/schema/addresses.ts'
import { DnsServerError } from '../../reverse-dns/dns-server.ts'
import {
  dnsServerOf,
  forgetDnsServer,
  type StoredDnsServer,
  storeDnsServer,
  storedDnsServer,
} from '../../reverse-dns/dns-server-store.ts'
import { publishNames } from '../../reverse-dns/publish-names.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'

type View = z.input<(typeof route)['get']['response']>
type ServerDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'keyring' | 'events' | 'background'> & {
  audit: Audit
  tellNames: () => Promise<void>
}

/** More would not be read one by one. */
const LISTED = 50

/** Which DNS server reverse names are written to. */
export function dnsServerService(deps: ServerDeps) {
  const { db, clock, keyring, events, background, audit, tellNames } = deps

  /** The stored key goes only where it was entered for. */
  const whole = async ({ kind, url, secret }: DnsServerFields): Promise<StoredDnsServer> => {
    if (secret !== undefined) return { kind, url, secret }
    const stored = await storedDnsServer(db, keyring)
    if (stored?.kind === kind && stored.url === url) return stored
    const message = stored
      ? 'Enter the key again: the stored one goes only where it was entered for.'
      : 'Enter the key'
    throw new AppError('INVALID_INPUT', message, { details: [{ path: 'secret', message }] })
  }

  const check = async (server: StoredDnsServer, zones: readonly string[]): Promise<string> => {
    try {
      return await dnsServerOf(server, deps).check(zones)
    } catch (error) {
      if (!(error instanceof DnsServerError)) throw error
      throw new AppError('DNS_UNAVAILABLE', error.message, { cause: error })
    }
  }

  const write = async (actor: Actor, action: string, work: (tx: Db) => Promise<void>) =>
    await db.transaction(async (tx) => {
      await work(tx)
      await publishNames(tx, events, 'everyone')
      await audit.record(tx, actor, { action })
    })

  const get = async (): Promise<View> => {
    const stored = await storedDnsServer(db, keyring)
    const counts = await db
      .select({ state: reverseNames.state, of: count() })
      .from(reverseNames)
      .groupBy(reverseNames.state)
    const of = (state: string) => counts.find((one) => one.state === state)?.of ?? 0
    const failed = await db
      .select()
      .from(reverseNames)
      .where(eq(reverseNames.state, 'failed'))
      .orderBy(desc(reverseNames.nextAt))
      .limit(LISTED)
    return {
      server: stored ? { kind: stored.kind, url: stored.url } : null,
      set: of('set'),
      pending: of('pending'),
      failed: failed.map(({ address, wanted, instanceId, reason, nextAt }) => ({
        address,
        hostname: wanted,
        instanceId,
        why: reason ?? '',
        nextAt,
      })),
    }
  }

  return {
    get,

    /** Asked first: one that does not answer is not stored. Another one is told every name. */
    async connect(actor: Actor, body: DnsServerFields): Promise<View> {
      const server = await whole(body)
      await check(server, [])
      await write(actor, 'reverse-dns.connect', async (tx) => {
        await storeDnsServer(tx, keyring, server)
        const anew = { state: 'pending', reason: null, tries: 0, nextAt: clock.now() } as const
        await tx.update(reverseNames).set({ ...anew, wish: sql`${reverseNames.wish} + 1` })
      })
      background.run('telling the DNS server', tellNames)
      return await get()
    },

    disconnect: (actor: Actor) => write(actor, 'reverse-dns.disconnect', forgetDnsServer),

    async test(body: DnsServerFields) {
      const named = await db
        .selectDistinct({ zone: pools.rdns })
        .from(pools)
        .where(isNotNull(pools.rdns))
      const zones = named.flatMap(({ zone }) => zone ?? [])
      return { message: await check(await whole(body), zones) }
    },
  }
}

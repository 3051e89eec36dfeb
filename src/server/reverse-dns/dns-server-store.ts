import { eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { DnsServerKind } from '#shared/api/servers/reverse-dns.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import { settings } from '../db/schema/accounts.ts'
import type { Clock } from '../lib/clock.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { settingValue } from '../secrets/sealed-columns.ts'
import type { DnsServer } from './dns-server.ts'
import { powerDns } from './powerdns.ts'
import { webhook } from './webhook.ts'

const KEY = 'reverse-dns'

const Stored = z.object({ kind: DnsServerKind, url: z.string(), secret: z.string() })
export type StoredDnsServer = z.output<typeof Stored>

/** The DNS server of this installation, with its key; undefined if reverse DNS is not offered. */
export async function storedDnsServer(
  db: Db,
  keyring: Keyring,
): Promise<StoredDnsServer | undefined> {
  const [row] = await db.select().from(settings).where(eq(settings.key, KEY))
  return row && Stored.parse(JSON.parse(keyring.open(settingValue(KEY), row.value)))
}

/** Sealed as a whole: the address of the name server is not public either. */
export async function storeDnsServer(
  tx: Db,
  keyring: Keyring,
  server: StoredDnsServer,
): Promise<void> {
  const value = keyring.seal(settingValue(KEY), JSON.stringify(server))
  await tx
    .insert(settings)
    .values({ key: KEY, value })
    .onConflictDoUpdate({ target: settings.key, set: { value, updatedAt: sql`now()` } })
}

export async function forgetDnsServer(tx: Db): Promise<void> {
  await tx.delete(settings).where(eq(settings.key, KEY))
}

export async function isReverseDnsOffered(db: Db): Promise<boolean> {
  return (await db.$count(settings, eq(settings.key, KEY))) > 0
}

/**
 * PowerDNS has no TLS of its own and often runs beside us or in the same network; a webhook is
 * somewhere else.
 */
export function dnsServerOf(
  { kind, url, secret }: StoredDnsServer,
  { config, clock }: { config: Pick<Config, 'demo'>; clock: Clock },
): DnsServer {
  const server = { url, key: secret }
  return kind === 'powerdns'
    ? powerDns(server, { allowsLoopback: true, allowsPlainInside: true })
    : webhook({ ...server, clock }, { allowsLoopback: config.demo, allowsPlainInside: false })
}

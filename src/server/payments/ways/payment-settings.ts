import { inArray } from 'drizzle-orm'
import { z } from 'zod'
import type { Db } from '../../db/database.ts'
import { settings } from '../../db/schema/accounts.ts'
import type { Keyring } from '../../secrets/keyring.ts'
import { settingValue } from '../../secrets/sealed-columns.ts'

const WAYS = 'payment-ways'
const OUTAGES = 'payment-outages'

/** What the operator chose for the ways to pay; a way that is not named is offered as it comes. */
const WaySettings = z.object({
  /** In the order in which they are offered. */
  ways: z.array(z.object({ id: z.string(), name: z.string().nullable(), isHidden: z.boolean() })),
  /** What a client reads who pays the operator directly. */
  instructions: z.string().nullable(),
})
export type WaySettings = z.output<typeof WaySettings>

/** Since when each provider is known to be away. */
const Outages = z.record(z.string(), z.iso.datetime())

export type PaymentSettings = WaySettings & { outages: z.output<typeof Outages> }

const NONE: WaySettings = { ways: [], instructions: null }

export async function readSettings(db: Db, keyring: Keyring): Promise<PaymentSettings> {
  const rows = await db
    .select()
    .from(settings)
    .where(inArray(settings.key, [WAYS, OUTAGES]))
  const valueUnder = (key: string): unknown => {
    const row = rows.find((found) => found.key === key)
    return row && JSON.parse(keyring.open(settingValue(key), row.value))
  }
  return {
    ...WaySettings.parse(valueUnder(WAYS) ?? NONE),
    outages: Outages.parse(valueUnder(OUTAGES) ?? {}),
  }
}

type Store = { keyring: Keyring; now: Date }

export const storeWays = (tx: Db, chosen: WaySettings, store: Store): Promise<void> =>
  keep(tx, WAYS, chosen, store)

/** Reads and writes under the row's lock: two outages at once are both kept. */
export async function storeOutage(
  tx: Db,
  provider: string,
  isAway: boolean,
  { keyring, now }: Store,
): Promise<void> {
  await keepIfAbsent(tx, OUTAGES, {}, { keyring, now })
  const [row] = await tx
    .select()
    .from(settings)
    .where(inArray(settings.key, [OUTAGES]))
    .for('update')
  const known = row ? Outages.parse(JSON.parse(keyring.open(settingValue(OUTAGES), row.value))) : {}
  const { [provider]: since = now.toISOString(), ...others } = known
  await keep(tx, OUTAGES, isAway ? { ...others, [provider]: since } : others, { keyring, now })
}

const sealed = (key: string, value: unknown, { keyring, now }: Store) => ({
  key,
  value: keyring.seal(settingValue(key), JSON.stringify(value)),
  updatedAt: now,
})

async function keepIfAbsent(tx: Db, key: string, value: unknown, store: Store): Promise<void> {
  await tx
    .insert(settings)
    .values(sealed(key, value, store))
    .onConflictDoNothing()
}

async function keep(tx: Db, key: string, value: unknown, store: Store): Promise<void> {
  const { key: target, ...set } = sealed(key, value, store)
  await tx
    .insert(settings)
    .values({ key: target, ...set })
    .onConflictDoUpdate({ target: settings.key, set })
}

import { eq, inArray } from 'drizzle-orm'
import { z } from 'zod'
import { SETTABLE_PROVIDERS, type SettableProvider } from '#shared/rules/money/provider-fields.ts'
import type { Db } from '../../db/database.ts'
import { settings } from '../../db/schema/accounts.ts'
import { type Keyring, UnsealError } from '../../secrets/keyring.ts'
import { settingValue } from '../../secrets/sealed-columns.ts'
import { storeSetting } from '../../secrets/sealed-setting.ts'

/** What an operator entered for one provider. The row stays when its keys are removed. */
const ProviderRow = z.object({
  isOn: z.boolean(),
  /** By the names of the variables; null while it has no keys. */
  fields: z.record(z.string(), z.string()).nullable(),
  savedAt: z.iso.datetime().nullable(),
  /** The operator's account. */
  savedBy: z.number().int().nullable(),
})
export type ProviderRow = z.output<typeof ProviderRow>

type Stored = { sealed: string } & ({ row: ProviderRow } | { unreadable: string })
export type ProviderRows = ReadonlyMap<SettableProvider, Stored>

const keyOf = (name: SettableProvider): string => `payment-provider-${name}`
const KEYS = SETTABLE_PROVIDERS.map(keyOf)

/**
 * Read at every use, as all settings are, so that a change counts in every process at once. A row
 * that this process cannot open takes away its provider, not the others.
 */
export async function readProviderRows(tx: Db, keyring: Keyring): Promise<ProviderRows> {
  const rows = await tx.select().from(settings).where(inArray(settings.key, KEYS))
  return new Map(
    SETTABLE_PROVIDERS.flatMap((name): [SettableProvider, Stored][] => {
      const found = rows.find(({ key }) => key === keyOf(name))
      return found ? [[name, opened(name, found.value, keyring)]] : []
    }),
  )
}

export const rowOf = (rows: ProviderRows, name: SettableProvider): ProviderRow | undefined => {
  const stored = rows.get(name)
  return stored && 'row' in stored ? stored.row : undefined
}

const NOTHING: ProviderRow = { isOn: false, fields: null, savedAt: null, savedBy: null }

type Store = { keyring: Keyring; now: Date }

/** Reads under the row's lock, so that two presses at once do not undo each other. */
export async function lockProviderRow(
  tx: Db,
  name: SettableProvider,
  { keyring, now }: Store,
): Promise<Stored> {
  const key = keyOf(name)
  const value = keyring.seal(settingValue(key), JSON.stringify(NOTHING))
  await tx.insert(settings).values({ key, value, updatedAt: now }).onConflictDoNothing()
  const [row] = await tx.select().from(settings).where(eq(settings.key, key)).for('update')
  return opened(name, row?.value ?? value, keyring)
}

export const storeProviderRow = (
  tx: Db,
  name: SettableProvider,
  row: ProviderRow,
  store: Store,
): Promise<void> => storeSetting(tx, keyOf(name), row, store)

function opened(name: SettableProvider, sealed: string, keyring: Keyring): Stored {
  try {
    const row = ProviderRow.parse(JSON.parse(keyring.open(settingValue(keyOf(name)), sealed)))
    return { sealed, row }
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error
    return { sealed, unreadable: error.message }
  }
}

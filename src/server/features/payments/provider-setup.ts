import { inArray } from 'drizzle-orm'
import type { z } from 'zod'
import { api } from '#shared/api/index.ts'
import type { ProviderSetup } from '#shared/api/money/provider-keys.ts'
import {
  PROVIDER_FIELDS,
  SETTABLE_PROVIDERS,
  type SettableProvider,
} from '#shared/rules/money/provider-fields.ts'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../db/database.ts'
import { users } from '../../db/schema/accounts.ts'
import { openPaymentsByProvider } from '../../payments/payment-rows.ts'
import { chooseProviders } from '../../payments/ways/provider-choice.ts'
import { type ProviderRow, readProviderRows, rowOf } from '../../payments/ways/provider-rows.ts'
import type { Keyring } from '../../secrets/keyring.ts'

type View = z.input<typeof ProviderSetup>

/** How each provider is set up, for the operator. No secret leaves the server. */
export async function readSetups(tx: Db, config: Config, keyring: Keyring): Promise<View[]> {
  const rows = await readProviderRows(tx, keyring)
  const choice = chooseProviders(config, rows)
  const open = await openPaymentsByProvider(tx)
  const names = await namesOf(
    tx,
    SETTABLE_PROVIDERS.flatMap((name) => rowOf(rows, name)?.savedBy ?? []),
  )
  return SETTABLE_PROVIDERS.map((name): View => {
    const row = rowOf(rows, name)
    const variables = variablesOf(config, name)
    return {
      name,
      isOffered: choice.offered.includes(name),
      isListed: config.paymentProviders.includes(name),
      setBy: sourceOf(variables, rows.has(name) && row?.fields !== null),
      variables: [...variables],
      fields: fieldsOf(name, row, variables),
      savedAt: row?.savedAt ?? null,
      savedBy: names.get(row?.savedBy ?? 0) ?? null,
      problem: choice.problems[name] ?? null,
      openPayments: open.get(name) ?? 0,
      webhookUrl: webhookUrl(config, name),
    }
  })
}

export const webhookUrl = (
  { publicUrl }: Pick<Config, 'publicUrl'>,
  name: string,
): string | null => (name in api.webhooks ? `${publicUrl ?? ''}/api/webhooks/${name}` : null)

const sourceOf = (variables: readonly string[], isStored: boolean): View['setBy'] => {
  if (variables.length > 0) return 'environment'
  return isStored ? 'settings' : null
}

export const variablesOf = (config: Config, name: SettableProvider): readonly string[] =>
  name === 'manual' ? [] : config.providerVariables[name]

function fieldsOf(
  name: SettableProvider,
  row: ProviderRow | undefined,
  variables: readonly string[],
): View['fields'] {
  return PROVIDER_FIELDS[name].map((field) => {
    if (variables.length > 0) {
      const isSet = variables.some((set) => set === field.name || set === `${field.name}_FILE`)
      return { name: field.name, isSet, value: null }
    }
    const value = row?.fields?.[field.name]
    return {
      name: field.name,
      isSet: value !== undefined,
      value: field.isSecret ? null : (value ?? null),
    }
  })
}

async function namesOf(tx: Db, ids: number[]): Promise<Map<number, string>> {
  const rows = await tx
    .select({ id: users.id, email: users.email, username: users.username })
    .from(users)
    .where(inArray(users.id, ids))
  return new Map(rows.map(({ id, email, username }) => [id, email ?? username]))
}

import { z } from 'zod'
import { SETTABLE_PROVIDERS } from '../../rules/money/provider-fields.ts'
import { Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

/** A field of a provider as it is stored; a secret is only said to be there. */
const StoredField = z.object({
  name: z.string(),
  isSet: z.boolean(),
  /** Null for secrets, which never leave the server again. */
  value: z.string().nullable(),
})

export const ProviderSetup = z.object({
  name: z.enum(SETTABLE_PROVIDERS),
  /** New payments use it. */
  isOffered: z.boolean(),
  /** PAYMENT_PROVIDER lists it: only the environment can turn it off. */
  isListed: z.boolean(),
  /** Where its keys come from; null while it has none. */
  setBy: z.enum(['environment', 'settings']).nullable(),
  /** The variables of it that the environment sets; as long as there is one, all come from there. */
  variables: z.array(z.string()),
  fields: z.array(StoredField),
  savedAt: Timestamp.nullable(),
  /** Whose press it was; null if that account no longer exists. */
  savedBy: z.string().nullable(),
  /** Why it cannot be used although it is set up; null if it can. */
  problem: z.string().nullable(),
  openPayments: z.number().int(),
  /** Where it must send its webhooks; null where it sends none. */
  webhookUrl: z.string().nullable(),
})
export type ProviderSetup = z.output<typeof ProviderSetup>

const providerParams = z.object({ provider: z.enum(SETTABLE_PROVIDERS) })

/** By the names of the variables. An empty secret keeps the stored one. */
const ProviderKeysUpdate = z.object({
  fields: z.record(z.string().max(40), z.string().trim().max(1000)),
})

/** What the provider answered before its keys were stored. */
const Saved = z.object({ message: z.string(), provider: ProviderSetup })

export const providerKeys = {
  list: route({
    method: 'GET',
    path: '/api/payments/providers',
    access: 'admin',
    summary: 'How each payment provider is set up, without its secrets',
    response: z.array(ProviderSetup),
  }),
  save: route({
    method: 'PUT',
    path: '/api/payments/providers/:provider/keys',
    access: 'admin',
    needsProof: true,
    summary: 'Store the keys of a payment provider, if it accepts them',
    params: providerParams,
    body: ProviderKeysUpdate,
    response: Saved,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/payments/providers/:provider/keys',
    access: 'admin',
    needsProof: true,
    summary: 'Forget the keys of a payment provider at which nothing is open',
    params: providerParams,
    response: ProviderSetup,
  }),
  turn: route({
    method: 'PUT',
    path: '/api/payments/providers/:provider',
    access: 'admin',
    needsProof: true,
    summary: 'Offer a payment provider to buyers, or no longer',
    params: providerParams,
    body: z.object({ isOn: z.boolean() }),
    response: ProviderSetup,
  }),
}

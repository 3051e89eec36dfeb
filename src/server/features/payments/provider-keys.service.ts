import type { z } from 'zod'
import type { ProviderSetup } from '#shared/api/money/provider-keys.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { PROVIDER_FIELDS, type SettableProvider } from '#shared/rules/money/provider-fields.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { KeyedProvider } from '../../config/provider-config.ts'
import type { Db } from '../../db/database.ts'
import type { PaymentProvider } from '../../payments/port/payment-provider.ts'
import { ProviderError } from '../../payments/port/provider-errors.ts'
import { inWords, judgeKeys, takesMoneroTwice } from '../../payments/ways/entered-keys.ts'
import { chooseProviders } from '../../payments/ways/provider-choice.ts'
import {
  lockProviderRow,
  type ProviderRow,
  readProviderRows,
  rowOf,
  storeProviderRow,
} from '../../payments/ways/provider-rows.ts'
import { type Providers, providerWith } from '../../payments/ways/providers.ts'
import type { Ways } from '../../payments/ways/ways.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { newestOpen, openAt } from './open-at-provider.ts'
import { readSetups, variablesOf } from './provider-setup.ts'

type KeysDeps = Pick<Deps, 'db' | 'clock' | 'keyring' | 'config' | 'log'> & {
  audit: Audit
  providers: Providers
  ways: Ways
}
type View = z.input<typeof ProviderSetup>
type Fields = Readonly<Record<string, string>>

/** For the owner: the keys of the payment providers, and which of them are offered. */
export function providerKeysService(deps: KeysDeps) {
  const { db, clock, keyring, config, audit, providers, ways } = deps

  const view = async (name: SettableProvider): Promise<View> => {
    const found = (await readSetups(db, config, keyring)).find((setup) => setup.name === name)
    if (!found) throw notFound('Payment provider')
    return found
  }

  const refuseEnvironment = (name: SettableProvider) => {
    const variables = variablesOf(config, name)
    if (variables.length === 0) return
    const sentence = `The environment sets ${variables.join(', ')}, and it wins. Change the keys there.`
    throw new AppError('INVALID_STATE', sentence)
  }

  const refuseRealMoney = (name: SettableProvider) => {
    if (name === 'manual' || config.realMoneyProblems.length === 0) return
    const sentence = `Real payments are not possible yet. ${config.realMoneyProblems.join('. ')}.`
    throw new AppError('INVALID_STATE', sentence)
  }

  const change = async (
    actor: Actor,
    name: SettableProvider,
    { action, details }: { action: string; details?: Record<string, unknown> },
    work: (before: ProviderRow | undefined, tx: Db) => Promise<ProviderRow>,
  ): Promise<View> => {
    await db.transaction(async (tx) => {
      const store = { keyring, now: clock.now() }
      const before = await lockProviderRow(tx, name, store)
      const row = await work('row' in before ? before.row : undefined, tx)
      await storeProviderRow(tx, name, row, store)
      if (!(await ways.all(tx)).some(({ isHidden }) => !isHidden)) {
        const sentence = 'At least one way to pay must be left: clients could renew nothing.'
        throw new AppError('INVALID_STATE', sentence)
      }
      await audit.record(tx, actor, {
        action,
        target: `provider:${name}`,
        ...(details && { details }),
      })
    })
    return await view(name)
  }

  /** What the provider answers, in the words of the form. */
  const tested = async (name: SettableProvider, provider: PaymentProvider): Promise<string> => {
    try {
      return await ways.test(provider)
    } catch (error) {
      if (!(error instanceof AppError) || name === 'manual') throw error
      throw new AppError(error.code, inWords(name, error.message), { cause: error })
    }
  }

  return {
    list: () => readSetups(db, config, keyring),

    /** Asked first, as a cluster is: keys that the provider does not accept are not stored. */
    async save(actor: Actor, name: SettableProvider, entered: Fields) {
      refuseEnvironment(name)
      refuseRealMoney(name)
      if (name === 'manual') throw notFound('Key')
      const before = rowOf(await readProviderRows(db, keyring), name)
      const fields = withStored(name, entered, before?.fields ?? {})
      const provider = await candidate(name, fields)
      const message = await tested(name, provider)
      await refuseOtherAccount(provider)
      const changed = Object.keys(fields).filter((key) => fields[key] !== before?.fields?.[key])
      const about = { action: 'payments.keys', details: { changed } }
      const setup = await change(actor, name, about, async (row) => ({
        isOn: row?.fields ? row.isOn : true,
        fields,
        savedAt: clock.now().toISOString(),
        savedBy: actor.user.id,
      }))
      return { message, provider: setup }
    },

    /** One that is turned off stays known: what is open at it is settled and refunded. */
    async turn(actor: Actor, name: SettableProvider, isOn: boolean) {
      if (config.paymentProviders.includes(name)) {
        const sentence = `PAYMENT_PROVIDER lists ${name}. Take it out of the environment, or hide its ways to pay.`
        throw new AppError('INVALID_STATE', sentence)
      }
      const provider = (await providers.now(db)).named(name)
      if (!provider) throw new AppError('INVALID_STATE', 'Enter the keys first.')
      if (isOn) {
        refuseRealMoney(name)
        await tested(name, provider)
      }
      const action = isOn ? 'payments.turn-on' : 'payments.turn-off'
      return await change(actor, name, { action }, async (row) => {
        if (!row) throw new AppError('INVALID_STATE', 'Its keys cannot be read. Enter them again.')
        return { ...row, isOn }
      })
    },

    /** Only where nothing needs them any more. The row stays, so that test mode does not come back. */
    async remove(actor: Actor, name: SettableProvider) {
      refuseEnvironment(name)
      const { setBy, isOffered } = await view(name)
      if (setBy === null) throw notFound('Key')
      if (isOffered) throw new AppError('INVALID_STATE', 'Turn it off first.')
      return await change(actor, name, { action: 'payments.remove-keys' }, async (_row, tx) => {
        const open = await openAt(tx, name, clock.now())
        if (open.length > 0) {
          const sentence = `These still need the keys: ${open.join(', ')}. Leave it turned off until they are over.`
          throw new AppError('IN_USE', sentence)
        }
        return { isOn: false, fields: null, savedAt: null, savedBy: null }
      })
    },
  }

  /** The provider as it would be with these fields; refuses what the environment would refuse. */
  async function candidate(name: KeyedProvider, fields: Fields): Promise<PaymentProvider> {
    const { keys, problems } = judgeKeys(name, fields)
    const choice = chooseProviders(config, await readProviderRows(db, keyring))
    const wanted = { ...choice, [name]: keys }
    if (takesMoneroTwice(wanted)) {
      const message = 'BTCPay Server names Monero, which would also be taken directly. Keep one.'
      problems.push({ path: 'BTCPAY_PAYMENT_METHODS', message })
    }
    const [first] = problems
    if (first) {
      const details = problems.map(({ path, message }) => ({ path: `fields.${path}`, message }))
      throw new AppError('INVALID_INPUT', `${first.message}.`.replace(/\.\.$/, '.'), { details })
    }
    const provider = providerWith({ [name]: keys }, deps)[name]
    if (!provider) throw notFound('Payment provider')
    return provider
  }

  /** Keys of another account could neither settle nor refund what clients began with these. */
  async function refuseOtherAccount({ name, fetchState }: PaymentProvider): Promise<void> {
    const open = await newestOpen(db, name)
    if (open === undefined || !fetchState) return
    try {
      await fetchState(open)
    } catch (error) {
      if (!(error instanceof ProviderError) || error.fault !== 'missing') throw error
      const sentence =
        'These keys are of another account: it does not know the payments that clients began. Turn the provider off, and enter them when none is open.'
      throw new AppError('IN_USE', sentence, { cause: error })
    }
  }
}

/** An empty secret keeps the stored one, which goes only where it was entered for. */
function withStored(name: SettableProvider, entered: Fields, stored: Fields): Fields {
  const known = PROVIDER_FIELDS[name]
  const isElsewhere = known.some(
    (field) => field.isAddress && (entered[field.name] ?? '') !== (stored[field.name] ?? ''),
  )
  const fields: Record<string, string> = {}
  const again: { path: string; message: string }[] = []
  for (const field of known) {
    const given = entered[field.name] ?? ''
    const kept = field.isSecret && given === '' ? stored[field.name] : undefined
    if (kept !== undefined && isElsewhere) {
      const message = 'Enter it again: the stored one goes only where it was entered for.'
      again.push({ path: `fields.${field.name}`, message })
    }
    const value = given === '' ? kept : given
    if (value !== undefined) fields[field.name] = value
  }
  const [first] = again
  if (first) throw new AppError('INVALID_INPUT', first.message, { details: again })
  return fields
}

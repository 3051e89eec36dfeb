import type { PaymentWay } from '#shared/api/money/payment-methods.ts'
import { AppError } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { PaymentProvider } from '../port/payment-provider.ts'
import { ProviderError, type ProviderFault } from '../port/provider-errors.ts'
import { type PaymentSettings, readSettings, storeOutage } from './payment-settings.ts'
import type { Providers } from './providers.ts'

/** Where a payment is to be made. */
export type Chosen = {
  provider: PaymentProvider
  /** Undefined if the buyer named none: every way of the provider pays it. */
  way: string | undefined
}

/** Only the client's credit: nothing is asked of a provider. */
const CREDIT: PaymentWay = { id: 'credit', name: 'Credit', kind: 'credit' }

export type Offer = PaymentWay & {
  provider: PaymentProvider
  /** The name without the operator's. */
  usualName: string
  isHidden: boolean
  /** Since when the provider is away. */
  since: string | null
}

/** Faults that the next buyer would meet too; others belong to one payment. */
const IS_OUTAGE: Record<ProviderFault, boolean> = {
  unreachable: true,
  refused: true,
  confused: true,
  missing: false,
  rejected: false,
}

type WaysDeps = Pick<Deps, 'db' | 'clock' | 'keyring' | 'log'> & { providers: Providers }

export type Ways = ReturnType<typeof createWays>

/** The ways to pay: what each provider has, in the operator's order and by the operator's names. */
export function createWays({ db, clock, keyring, log, providers }: WaysDeps) {
  const store = () => ({ keyring, now: clock.now() })

  const offers = async (tx: Db): Promise<Offer[]> =>
    arranged((await providers.now(tx)).offered, await readSettings(tx, keyring))

  const setAway = async (provider: string, isAway: boolean): Promise<void> => {
    const { outages } = await readSettings(db, keyring)
    if (provider in outages === isAway) return
    log.warn({ provider, isAway }, 'a payment provider went away or came back')
    await db.transaction((tx) => storeOutage(tx, provider, isAway, store()))
  }

  return {
    /** Every way, hidden and interrupted ones included, for the operator. */
    all: offers,

    /** What a buyer may choose now. */
    async offered(tx: Db): Promise<PaymentWay[]> {
      const open = (await offers(tx)).filter(({ isHidden, since }) => !isHidden && since === null)
      return [...open.map(toWay), CREDIT]
    },

    /** What a client reads who pays the operator directly. */
    async instructions(tx: Db): Promise<string | null> {
      return (await readSettings(tx, keyring)).instructions
    },

    /** What a buyer may usually choose, but not now. */
    async outages(tx: Db) {
      const away = (await offers(tx)).filter(({ isHidden, since }) => !isHidden && since !== null)
      return away.map((offer) => ({ ...toWay(offer), message: outageOf(offer.name) }))
    },

    /**
     * The way that the buyer named, else the provider of the first one that works. One that is
     * away is asked again if it was named or is the only one: it may be back.
     */
    async choose(tx: Db, id: string | undefined): Promise<Chosen | undefined> {
      if (id === CREDIT.id) return undefined
      const open = (await offers(tx)).filter(({ isHidden }) => !isHidden)
      if (id === undefined) {
        const first = open.find(({ since }) => since === null) ?? open[0]
        if (first) return { provider: first.provider, way: undefined }
        throw new AppError('PAYMENT_UNAVAILABLE', 'Nothing can be paid right now.')
      }
      const named = open.find((offer) => offer.id === id)
      if (named) return { provider: named.provider, way: named.id }
      throw new AppError('INVALID_INPUT', `Please choose a way to pay: ${idsOf(open)}.`)
    },

    /**
     * Calls a provider for a new payment. An outage is noted for every process, said by the name of
     * the way, and over with the first call that succeeds.
     */
    async ask<T>({ provider, way }: Chosen, work: () => Promise<T>): Promise<T> {
      try {
        const result = await work()
        await setAway(provider.name, false)
        return result
      } catch (error) {
        if (!(error instanceof ProviderError) || !IS_OUTAGE[error.fault]) throw error
        await setAway(provider.name, true)
        const rest = (await offers(db)).filter(
          (offer) =>
            !offer.isHidden && offer.since === null && offer.provider.name !== provider.name,
        )
        if (rest.length === 0) throw error
        const name = (await offers(db)).find(
          (offer) =>
            offer.provider.name === provider.name && (way === undefined || offer.id === way),
        )?.name
        const sentence = `${outageOf(name ?? provider.name)} Please choose another way to pay.`
        throw new AppError('PAYMENT_UNAVAILABLE', sentence, { cause: error })
      }
    },

    async awaySince(tx: Db): Promise<(provider: string) => Date | null> {
      const { outages } = await readSettings(tx, keyring)
      return (name) => (outages[name] ? new Date(outages[name]) : null)
    },

    /** What the provider answers; one that answers is no longer away. */
    async test(provider: PaymentProvider): Promise<string> {
      const answer = await provider.check()
      await setAway(provider.name, false)
      return answer
    },

    /** Asks those that are away whether they are back. */
    async lookForReturns(): Promise<void> {
      const { outages } = await readSettings(db, keyring)
      const { named } = await providers.now(db)
      for (const name of Object.keys(outages)) {
        const provider = named(name)
        const isBack = provider === undefined || (await answers(provider))
        if (isBack) await setAway(name, false)
      }
    },
  }

  async function answers(provider: PaymentProvider): Promise<boolean> {
    try {
      await provider.check()
      return true
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return false
    }
  }
}

const toWay = ({ id, name, kind }: Offer): PaymentWay => ({ id, name, kind })

const idsOf = (offers: readonly Offer[]): string =>
  [...offers.map(({ id }) => id), CREDIT.id].join(', ')

/** "Card payments are not possible right now." */
const outageOf = (name: string): string => `${name} payments are not possible right now.`

/** The operator's order first; a way that came later follows in the usual order. */
function arranged(
  providers: readonly PaymentProvider[],
  { ways, outages }: PaymentSettings,
): Offer[] {
  const known = providers.flatMap((provider) =>
    provider.ways.map((way): Offer => {
      const chosen = ways.find(({ id }) => id === way.id)
      return {
        ...way,
        name: chosen?.name ?? way.name,
        usualName: way.name,
        isHidden: chosen?.isHidden ?? false,
        provider,
        since: outages[provider.name] ?? null,
      }
    }),
  )
  const place = ({ id }: Offer) => {
    const at = ways.findIndex((way) => way.id === id)
    return at === -1 ? ways.length : at
  }
  return known.toSorted((a, b) => place(a) - place(b))
}

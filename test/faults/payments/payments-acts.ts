import type { BtcpayStandIn } from '../../../src/server/payments/testing/btcpay-stand-in.ts'
import type { Report } from '../../../src/server/payments/testing/stand-in-server.ts'
import type { StripeStandIn } from '../../../src/server/payments/testing/stripe-stand-in.ts'
import type { Facts, Truth } from './payments-model.ts'

/** What can happen to a payment at its provider. False where it cannot happen now. */
export type ProviderSide<Act extends string> = {
  acts: readonly Act[]
  begin(asked: number, endsAt: number): Truth
  happen(act: Act, id: string, truth: Truth): Promise<boolean>
  /** Nothing more will arrive for this one. */
  finish(id: string, truth: Truth): Promise<void>
  /** A report as it would be delivered now. */
  delivery(report: Report): Report
  /** Whether the bytes and signature of the first delivery are still valid at this later time. */
  isReplayable(report: Report, now: number): boolean
  checkoutMinutes: number
  /** What happens there by itself meanwhile. */
  passes?(ms: number): Promise<void>
}

type StripeTruth = Truth & {
  page: 'open' | 'debit' | 'paid' | 'bounced' | 'expired'
  refunds: number
  disputes: number
}
const STRIPE_ACTS = [
  'pays',
  'pays by debit',
  'debit clears',
  'debit bounces',
  'page expires',
] as const
const STRIPE_BACK = ['part is refunded', 'all is refunded', 'is disputed and lost'] as const
type StripeAct = (typeof STRIPE_ACTS)[number] | (typeof STRIPE_BACK)[number]

export function stripeSide(stand: StripeStandIn): ProviderSide<StripeAct> {
  const begin = (asked: number): StripeTruth => ({
    page: 'open',
    refunds: 0,
    disputes: 0,
    facts(): Facts {
      const states = { open: 'pending', debit: 'confirming', bounced: 'failed', expired: 'expired' }
      if (this.page !== 'paid') {
        return { state: states[this.page], received: 0, refunded: 0, lost: 0 }
      }
      const refunded = Math.min(asked, this.refunds)
      const lost = Math.min(asked - refunded, this.disputes)
      const state = refunded + lost === asked ? 'refunded' : 'paid'
      return { state, received: asked, refunded, lost }
    },
  })

  const happen = async (act: StripeAct, id: string, given: Truth): Promise<boolean> => {
    const truth = given as StripeTruth
    const step = async (from: string, to: StripeTruth['page'], work: () => Promise<unknown>) => {
      if (truth.page !== from) return false
      truth.page = to
      await work()
      return true
    }
    const { received, refunded } = truth.facts()
    const sendBack = async (cents: number) => {
      if (cents <= 0) return false
      truth.refunds += cents
      await stand.sendBack(id, cents)
      return true
    }
    const disputeAndLose = async () => {
      if (received === 0) return false
      truth.disputes += received
      await stand.dispute(id)
      await stand.loseDisputes(id)
      return true
    }
    switch (act) {
      case 'pays':
        return step('open', 'paid', () => stand.pay(id))
      case 'pays by debit':
        return step('open', 'debit', () => stand.debit(id))
      case 'debit clears':
        return step('debit', 'paid', () => stand.clear(id))
      case 'debit bounces':
        return step('debit', 'bounced', () => stand.bounce(id))
      case 'page expires':
        return step('open', 'expired', () => stand.expire(id))
      case 'part is refunded':
        return sendBack(Math.min(120, received - refunded))
      case 'all is refunded':
        return sendBack(received - refunded)
      case 'is disputed and lost':
        return disputeAndLose()
    }
  }

  return {
    acts: [...STRIPE_ACTS, ...STRIPE_BACK],
    begin,
    happen,
    async finish(id, truth) {
      await happen('debit clears', id, truth)
      await happen('page expires', id, truth)
    },
    delivery: ({ payload }) => ({ payload, headers: stand.sign(payload) }),
    isReplayable({ headers }, now) {
      const at = Number(/^t=(\d+)/.exec(headers['stripe-signature'] ?? '')?.[1])
      return Math.floor(now / 1000) - at <= 300
    },
    checkoutMinutes: 35,
  }
}

type Coins = { cents: number; status: 'seen' | 'final' | 'spent elsewhere' }
type BtcpayTruth = Truth & {
  coins: Coins[]
  phase: 'new' | 'processing' | 'settled' | 'expired' | 'invalid'
}
const BTCPAY_ACTS = [
  'sends a part',
  'sends it all',
  'sends too much',
  'network confirms',
  'coins are spent elsewhere',
  'invoice expires',
  'operator marks it settled',
  'operator marks it invalid',
] as const
type BtcpayAct = (typeof BTCPAY_ACTS)[number]

export function btcpaySide(stand: BtcpayStandIn): ProviderSide<BtcpayAct> {
  const sum = (coins: Coins[]) => coins.reduce((total, { cents }) => total + cents, 0)
  const inState = (coins: Coins[], status: Coins['status']) =>
    coins.filter((one) => one.status === status)

  const begin = (asked: number): BtcpayTruth => ({
    coins: [],
    phase: 'new',
    facts(): Facts {
      const final = sum(inState(this.coins, 'final'))
      const isSeen = inState(this.coins, 'seen').length > 0
      const states = {
        new: isSeen ? 'confirming' : 'pending',
        processing: 'confirming',
        settled: 'paid',
        expired: 'expired',
        invalid: 'failed',
      }
      const isOver = this.phase !== 'new' && this.phase !== 'processing'
      const received = this.phase === 'settled' ? Math.max(asked, final) : isOver ? final : 0
      return { state: states[this.phase], received, refunded: 0, lost: 0 }
    },
  })

  const happen = async (act: BtcpayAct, id: string, given: Truth): Promise<boolean> => {
    const truth = given as BtcpayTruth
    const asked = stand.invoices.get(id)?.cents ?? 0
    const isWhole = () =>
      sum(truth.coins.filter(({ status }) => status !== 'spent elsewhere')) >= asked
    const send = async (cents: number) => {
      truth.coins.push({ cents, status: 'seen' })
      if (truth.phase === 'new' && isWhole()) truth.phase = 'processing'
      await stand.send(id, cents)
      return true
    }
    const seen = inState(truth.coins, 'seen')
    switch (act) {
      case 'sends a part':
        return send(Math.max(1, Math.floor(asked / 3)))
      case 'sends it all':
        return send(asked)
      case 'sends too much':
        return send(asked + 250)
      case 'network confirms':
        for (const coins of seen) coins.status = 'final'
        if (truth.phase === 'processing') truth.phase = 'settled'
        await stand.confirm(id)
        return true
      case 'coins are spent elsewhere':
        for (const coins of seen) coins.status = 'spent elsewhere'
        if (truth.phase === 'processing') truth.phase = 'invalid'
        await stand.doubleSpend(id)
        return true
      case 'invoice expires':
        if (truth.phase !== 'new') return false
        truth.phase = 'expired'
        await stand.expire(id)
        return true
      case 'operator marks it settled':
        truth.phase = 'settled'
        await stand.mark(id, 'Settled')
        return true
      case 'operator marks it invalid':
        truth.phase = 'invalid'
        await stand.mark(id, 'Invalid')
        return true
    }
  }

  return {
    acts: BTCPAY_ACTS,
    begin,
    happen,
    async finish(id, truth) {
      await happen('network confirms', id, truth)
      await happen('invoice expires', id, truth)
    },
    delivery: ({ payload }) => stand.redelivered(payload),
    isReplayable: () => true,
    checkoutMinutes: 30,
  }
}

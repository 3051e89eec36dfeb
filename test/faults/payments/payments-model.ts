/**
 * What R5 says about the state of an order, derived only from what happened at the provider and
 * when we polled. Amounts are cents.
 */
export type Facts = { state: string; received: number; refunded: number; lost: number }

/** A payment as the provider has it. */
export type Truth = {
  facts(): Facts
  /** We have looked at it. */
  looked?(): void
  /** Whether a poll covers it, however old it is. */
  isRecent?(): boolean
}

export type ModelPayment = {
  id: string
  asked: number
  endsAt: number
  truth: Truth
  known: Facts
}

export type Kind = 'renewal' | 'purchase' | 'top-up'
type Order = { status: string; kind: Kind; amount: number; fromCredit: number }

const isOpen = ({ known }: ModelPayment) => ['pending', 'confirming'].includes(known.state)

/** When the order is due, and until when the server it may renew is paid. */
type Times = { payBy: number; paidUntil: number; now: () => number }
const TERM = 30 * 24 * 3_600_000

export function createModel(kind: Order['kind'], amount: number, times: Times) {
  const { payBy, now } = times
  const order: Order = { status: 'pending', kind, amount, fromCredit: 0 }
  const purse = { held: 0, earned: 0, credit: 0 }
  const payments: ModelPayment[] = []
  let fulfilments = 0
  let redeemed = 0
  let { paidUntil } = times
  const due = () => order.amount - order.fromCredit

  const fulfil = () => {
    fulfilments += 1
    order.status = kind === 'purchase' ? 'provisioning' : 'active'
    if (kind === 'top-up') move('held', 'credit', purse.held)
    if (kind !== 'renewal') return
    move('held', 'earned', purse.held)
    paidUntil += TERM
  }
  const move = (from: keyof typeof purse, to: keyof typeof purse, cents: number) => {
    purse[from] -= cents
    purse[to] += cents
  }
  const receive = (cents: number) => {
    const pays = order.status === 'pending' && cents >= due() ? due() : 0
    purse.held += pays
    purse.credit += cents - pays
    if (pays > 0) fulfil()
  }
  const giveBack = (cents: number) => {
    const fromHeld = Math.min(cents, purse.held)
    const fromEarned = Math.min(cents - fromHeld, purse.earned)
    purse.held -= fromHeld
    purse.earned -= fromEarned
    purse.credit -= cents - fromHeld - fromEarned
  }
  /** Nothing of the payment remains: no server is created, and refunded time ends. */
  const takeBack = (why: 'refund' | 'dispute') => {
    if (order.status === 'provisioning' && purse.held === 0) order.status = 'cancelled'
    // A top-up has delivered the credit that is not from vouchers.
    const delivered = kind === 'top-up' ? purse.credit - redeemed : purse.earned
    if (why === 'dispute' || order.status !== 'active' || delivered > 0) return
    order.status = 'cancelled'
    if (kind === 'renewal') paidUntil = Math.min(paidUntil, Math.max(now(), paidUntil - TERM))
  }

  /** Polls the provider: its current answer counts, and nothing that counted is forgotten. */
  const look = (payment: ModelPayment) => {
    const { known } = payment
    const said = payment.truth.facts()
    payment.truth.looked?.()
    const received = Math.max(known.received, said.received)
    const refunded = Math.min(received, Math.max(known.refunded, said.refunded))
    const lost = Math.min(received - refunded, Math.max(known.lost, said.lost))
    const before = { ...known }
    Object.assign(known, { received, refunded, lost })
    known.state = later(before, said, known)
    if (received > before.received) receive(received - before.received)
    const back = refunded + lost - before.refunded - before.lost
    if (back > 0) giveBack(back)
    if (lost > before.lost) takeBack('dispute')
    else if (refunded > before.refunded) takeBack('refund')
  }

  return {
    order,
    purse,
    payments,
    look,
    due,
    fulfilments: () => fulfilments,
    paidUntil: () => paidUntil,
    has: (id: string) => payments.find((payment) => payment.id === id),
    open(payment: Omit<ModelPayment, 'known'>) {
      payments.push({ ...payment, known: { state: 'pending', received: 0, refunded: 0, lost: 0 } })
    },
    /** Where the client can continue to pay without a new checkout. */
    goodCheckout: (now: number) =>
      payments.findLast(
        (payment) =>
          isOpen(payment) &&
          (payment.known.state === 'confirming' ||
            (payment.asked === due() && payment.endsAt > now)),
      ),
    redeem(cents: number) {
      redeemed += cents
      purse.credit += cents
    },
    redeemed: () => redeemed,
    spendCredit() {
      if (kind === 'top-up') return
      const cents = Math.min(due(), Math.max(0, purse.credit))
      order.fromCredit += cents
      move('credit', 'held', cents)
      if (due() === 0) fulfil()
    },
    /** Not paid in time; the provider is polled once more, if reachable. */
    lapse(now: number, isThere: boolean) {
      const isConfirming = () => payments.some(({ known }) => known.state === 'confirming')
      const isOver = () => order.status === 'pending' && payBy <= now
      if (!isOver() || isConfirming()) return
      if (isThere) for (const payment of payments.filter(isOpen)) look(payment)
      if (!isOver() || isConfirming()) return
      order.status = 'cancelled'
      for (const { known } of payments) if (known.state === 'pending') known.state = 'expired'
      move('held', 'credit', purse.held)
    },
    /** Payments that a poll covers. */
    watched: (now: number) =>
      payments.filter(
        (payment) =>
          isOpen(payment) ||
          payment.truth.isRecent?.() === true ||
          (['expired', 'failed'].includes(payment.known.state) &&
            payment.endsAt > now - 25 * 3_600_000),
      ),
  }
}

function later(known: Facts, said: Facts, { received, refunded, lost }: Facts): string {
  if (received > 0 && refunded + lost === received) return 'refunded'
  if (known.state === 'paid' || known.state === 'refunded') return known.state
  const wasOver = known.state === 'expired' || known.state === 'failed'
  return wasOver && said.state === 'pending' ? known.state : said.state
}

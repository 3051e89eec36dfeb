import type { Group } from '../mutant.ts'

const TOP_UPS = 'src/server/features/credit/top-ups.test.ts'
const AUTO_RENEW = 'src/server/provisioning/auto-renew/auto-renew.test.ts'
const LINKS = 'src/server/features/payment-links/payment-links.test.ts'
const MONTHS = 'src/server/provisioning/months.test.ts'

/** Credit that is bought, servers that are renewed from it, several months, and payment links. */
export const CREDIT: Group[] = [
  {
    file: 'src/shared/rules/money/top-up.ts',
    tests: ['src/shared/rules/money/top-up.test.ts'],
    mutants: [
      ['cents >= LEAST_CENTS && ', ''],
      [' && cents <= MOST_CENTS', ''],
    ],
  },
  {
    file: 'src/server/orders/orders.ts',
    tests: [TOP_UPS],
    mutants: [["kind === 'top-up' ? 'credit' : 'earned'", "'earned'"]],
  },
  {
    file: 'src/server/payments/spend-credit.ts',
    tests: [TOP_UPS, 'src/server/payments/checkouts.test.ts'],
    mutants: [
      [" || order.kind === 'top-up') return order", ') return order'],
      ['Math.min(dueOf(order), Math.max(0, await creditOf(tx, order.userId)))', 'dueOf(order)'],
    ],
  },
  {
    file: 'src/server/payments/checkouts.ts',
    tests: [TOP_UPS, LINKS],
    mutants: [
      ["'package', 'renewal', 'top-up'", "'package', 'renewal'"],
      [
        'fromCredit ? await spendCredit(tx, placed, now, once) : placed',
        'await spendCredit(tx, placed, now, once)',
      ],
    ],
  },
  {
    file: 'src/server/payments/refund-order.ts',
    tests: [TOP_UPS],
    mutants: [
      ["order.kind === 'top-up' && order.status === 'active' && refund !== 'provider'", 'false'],
      ['Math.min(delivered, await creditOf(tx, order.userId))', 'delivered'],
      ["order.kind === 'top-up' && held === 0", 'false'],
    ],
  },
  {
    file: 'src/server/provisioning/lifecycle/taken-back.ts',
    tests: [TOP_UPS],
    mutants: [['heldIn(tx, accountOf(order), order.id)', "heldIn(tx, 'earned', order.id)"]],
  },
  {
    file: 'src/server/features/credit/top-ups.ts',
    tests: [TOP_UPS],
    mutants: [['if (open) await releaseOrder(tx, open, { now })', '']],
  },
  {
    file: 'src/server/provisioning/auto-renew/auto-renew-rows.ts',
    tests: [AUTO_RENEW],
    mutants: [
      ['eq(tokens.autoRenew, true),', ''],
      ['isNull(instances.suspendedAt),', ''],
      ['expiresAt !== null && expiresAt <= daysAhead(now, AUTO_RENEW_DAYS)', 'true'],
      ['asc(tokens.expiresAt), asc(tokens.id)', 'asc(tokens.id)'],
    ],
  },
  {
    file: 'src/server/provisioning/auto-renew/auto-renew-sweep.ts',
    tests: [AUTO_RENEW],
    mutants: [
      ['if (open && (await isUnderWay(tx, open.id))) return', ''],
      ['once: periodKey(token),', 'once: String(Math.random()),'],
      ["brokenConstraint(error) === 'ledger_key'", 'false'],
      ['and(isNear, isShort, isUntold)', 'and(isNear, isShort)'],
    ],
  },
  {
    file: 'src/server/provisioning/auto-renew/auto-renewals.ts',
    tests: [AUTO_RENEW],
    mutants: [
      ['eq(tokens.assignedUserId, user.id),', ''],
      ['if (token.monthlyPriceCents === 0) {', 'if (false) {'],
      ['if (paid) {', 'if (false) {'],
      ['if (byCard) {', 'if (false) {'],
    ],
  },
  {
    file: 'src/server/tokens/token-term.ts',
    tests: [AUTO_RENEW, MONTHS],
    mutants: [
      ['.set({ expiresAt, autoRenew: false })', '.set({ expiresAt })'],
      ['token.durationDays * periods * DAY_MS', 'token.durationDays * DAY_MS'],
    ],
  },
  {
    file: 'src/server/tokens/move-token.ts',
    tests: [AUTO_RENEW],
    mutants: [["...(to === 'cancelled' && { autoRenew: false })", '']],
  },
  {
    file: 'src/server/provisioning/renewal-order.ts',
    tests: [MONTHS, LINKS],
    mutants: [
      ['open && fullPriceOf(open) === price && open.months === months', 'open'],
      ['if (open) await releaseOrder(tx, open, { now })', ''],
    ],
  },
  {
    file: 'src/server/provisioning/fulfilment.ts',
    tests: [MONTHS],
    mutants: [['extendToken(tx, token, now, order.months)', 'extendToken(tx, token, now, 1)']],
  },
  {
    file: 'src/server/provisioning/renewals.ts',
    tests: [LINKS, MONTHS],
    mutants: [
      [
        'if (payer.fromCredit === false && open && placed.id !== open.id) await refuseUnderWay(tx, open)',
        '',
      ],
      [', fromCredit: false }', ' }'],
      ['await renewalTerm(tx, token, now, months)', 'await renewalTerm(tx, token, now)'],
    ],
  },
  {
    file: 'src/server/features/payment-links/payment-links.service.ts',
    tests: [LINKS],
    mutants: [
      ['eq(tokens.assignedUserId, paymentLinks.userId)', 'undefined'],
      [
        'and(eq(paymentLinks.codeHash, hashOf(code)), inArray(tokens.status, DELIVERED))',
        'eq(paymentLinks.codeHash, hashOf(code))',
      ],
      ["if (renewing.paymentMethod === 'credit') {", 'if (false) {'],
      ['eq(tokens.assignedUserId, user.id),', ''],
      ["createHash('sha256').update(code).digest('hex')", 'code'],
    ],
  },
]

import type { Group } from '../mutant.ts'

/** Where money goes: ledger, settlement, orders, checkouts, sales, unpaid orders. */
export const MONEY: Group[] = [
  {
    file: 'src/server/ledger/ledger.ts',
    tests: ['src/server/ledger/ledger.test.ts', 'src/server/payments/refunds.test.ts'],
    mutants: [
      ['entry(to, -cents)', 'entry(to, cents)'],
      ["if (cents < 0) throw new Error('a transfer goes forward')", ''],
      [
        'and(eq(ledger.account, account), eq(ledger.orderId, orderId))',
        'eq(ledger.account, account)',
      ],
    ],
  },
  {
    file: 'src/server/ledger/credit.ts',
    tests: ['src/server/ledger/ledger.test.ts', 'src/server/ledger/credit.test.ts'],
    mutants: [
      [
        "and(eq(ledger.account, 'credit'), eq(ledger.userId, userId))",
        "eq(ledger.account, 'credit')",
      ],
      [".for('no key update')", ''],
    ],
  },
  {
    file: 'src/server/ledger/statement.ts',
    tests: ['src/server/ledger/statement.test.ts', 'src/server/ledger/ledger.test.ts'],
    mutants: [
      ['received + vouchers === held + earned + credit &&', ''],
      ['(await isTrueToRows(db, { received, vouchers }))', 'true'],
    ],
  },
  {
    file: 'src/server/orders/orders.ts',
    tests: ['src/server/orders/orders.test.ts', 'src/server/features/orders/orders.test.ts'],
    mutants: [
      ['inArray(orders.status, ordersBefore(to, by)),', ''],
      ["to: to === 'active' ? accountOf(order) : 'credit',", "to: 'earned',"],
      ['Math.max(0, held - keepHeld)', 'held'],
      ['move.ofJob === undefined ? undefined : eq(orders.jobId, move.ofJob)', 'undefined'],
    ],
  },
  {
    file: 'src/server/payments/settlement.ts',
    tests: [
      'src/server/payments/settlement.test.ts',
      'src/server/payments/partial-payments.test.ts',
      'src/server/provisioning/lifecycle/taken-back.test.ts',
    ],
    mutants: [
      ['Math.max(payment.receivedCents, facts.receivedCents)', 'facts.receivedCents'],
      ['Math.max(payment.refundedCents, facts.refundedCents)', 'facts.refundedCents'],
      ["order.status === 'pending' && cents >= dueOf(order)", 'cents >= dueOf(order)'],
      ["order.status === 'pending' && cents >= dueOf(order)", "order.status === 'pending'"],
      ['return isReopened ? known : facts.state', 'return facts.state'],
      ["if (known === 'paid' || known === 'refunded') return 'paid'", ''],
      ['if (lost > 0) await takenBack.lost(tx, order)', 'if (lost > 0) return'],
      ['else if (refunded > 0) await takenBack.refunded(tx, order)', ''],
      ['if (lost < 0) await takenBack.won(tx, order)', ''],
      ["for (const from of ['held', 'earned'] as const)", "for (const from of ['held'] as const)"],
      ["order.status === 'active' ? accountOf(order) : 'credit'", "'credit'"],
    ],
  },
  {
    file: 'src/server/payments/checkouts.ts',
    tests: [
      'src/server/payments/checkouts.test.ts',
      'src/server/features/billing/billing.test.ts',
      'src/server/payments/partial-payments.test.ts',
      'src/server/payments/paid-once.test.ts',
    ],
    mutants: [
      ['if (chosen && !chosen.provider.isInstant) {', 'if (false) {'],
      ["if (paid.status !== 'pending' && dueOf(placed) > 0) {", 'if (isDue) {'],
      ["if (paid.status !== 'pending' && dueOf(placed) > 0) {", "if (paid.status !== 'pending') {"],
      ['if (payer.placed) await audit.record(tx, payer.placed.by, payer.placed.entry)', ''],
      ['payment.amountCents === dueOf(order) &&', ''],
      ["if (order?.status !== 'pending') return undefined", 'if (!order) return undefined'],
    ],
  },
  {
    file: 'src/server/provisioning/sales.ts',
    tests: [
      'src/server/provisioning/sales.test.ts',
      'src/server/features/marketplace/marketplace.test.ts',
      'src/server/features/auth/device-policy.test.ts',
      'src/server/provisioning/unpaid-limits.test.ts',
    ],
    mutants: [
      ['checkCall(token, call)', ''],
      ['await unpaid.check(tx, order)', ''],
      ['await refuseLookAlike(tx, userId)', ''],
      ['await giveUpFailedTrial(tx, userId, now)', ''],
      ['await checkClient(tx, clientUserId)', ''],
      [
        "if (!client.isActive) throw new AppError('INVALID_STATE', 'The client is not active.')",
        '',
      ],
      ["sale.kind === 'admin' ? 0 : token.monthlyPriceCents", '0'],
      ["if (brokenConstraint(error) !== 'orders_one_trial') return error", 'return error'],
      ['await beforeEffect(() => checkForSale(tokenName, userId))', ''],
    ],
  },
  {
    file: 'src/server/provisioning/provision/claim-step.ts',
    tests: [
      'src/server/provisioning/provision/claim-step.test.ts',
      'src/server/provisioning/provision/saga-laws.test.ts',
      'src/server/provisioning/provision/secrets.test.ts',
      'src/server/provisioning/provision/stuck-undo.test.ts',
    ],
    mutants: [
      ['and(which, isNull(tokens.assignedUserId))', 'which'],
      ['await freshPassword(tx, { tokenId: claimed.id, hasKeys: hasKeys(order) }, deps)', ''],
      ["if (order.status === 'provisioning' && order.jobId === jobId) return", ''],
      ["if (order.jobId !== jobId || order.status === 'active') return", ''],
      ['const isReturned = isGivenUp', 'const isReturned = !isGivenUp'],
    ],
  },
  {
    file: 'src/server/provisioning/unpaid-limits.ts',
    tests: ['src/server/provisioning/unpaid-limits.test.ts'],
    mutants: [
      ['if (open.length < limit) return', 'if (open.length <= limit) return'],
      ['if ((open?.of ?? 0) <= limit) return', 'return'],
      ['await checkWait(tx, order.userId, clock.now())', ''],
      ['SHARED.test(key) ? null : keyring', 'keyring'],
    ],
  },
]

import type { Group } from '../mutant.ts'

/** Several ways to pay, and vouchers. */
export const WAYS: Group[] = [
  {
    file: 'src/server/payments/ways/ways.ts',
    tests: ['src/server/payments/several-providers.test.ts'],
    mutants: [
      ['if (id === CREDIT.id) return undefined', ''],
      [
        'const open = (await offers(tx)).filter(({ isHidden }) => !isHidden)',
        'const open = await offers(tx)',
      ],
      ['open.find(({ since }) => since === null) ?? open[0]', 'open[0]'],
      ['await setAway(provider.name, true)', ''],
      ['if (isBack) await setAway(name, false)', ''],
    ],
  },
  {
    file: 'src/server/payments/checkouts.ts',
    tests: ['src/server/payments/several-providers.test.ts'],
    mutants: [
      ['if (isDue && !chosen) throw notByCredit(order)', 'if (isDue && !chosen) return order'],
      ['paymentMethod === undefined || way === paymentMethod', 'true'],
      ['chosen.provider.isByHand ? await withoutLimit(tx, order) : order', 'order'],
    ],
  },
  {
    file: 'src/server/payments/providers/btcpay.ts',
    tests: ['src/server/payments/providers/btcpay.test.ts'],
    mutants: [['...(way === undefined ? [] : [way])', '']],
  },
  {
    file: 'src/server/payments/providers/btcpay.ts',
    tests: ['src/server/payments/providers/btcpay.test.ts'],
    mutants: [["currency === 'BTC' && kind.startsWith('LN')", "currency === 'BTC'"]],
  },
  {
    file: 'src/server/payments/providers/btcpay-amounts.ts',
    tests: ['src/server/payments/providers/btcpay-amounts.test.ts'],
    mutants: [[".padStart(scale - BTC_DIGITS, '0')", '']],
  },
  {
    file: 'src/server/features/payments/ways.service.ts',
    tests: ['src/server/payments/several-providers.test.ts'],
    mutants: [
      ['!isComplete || ', ''],
      [' || given.length !== known.length', ''],
      ['if (update.ways.every(({ isHidden }) => isHidden)) {', 'if (false) {'],
    ],
  },
  {
    file: 'src/server/config/provider-list.ts',
    tests: ['src/server/config/config.test.ts'],
    mutants: [
      [
        "if (!known.includes('sandbox') || !known.some(takesMoney)) return undefined",
        'return undefined',
      ],
      ['if (new Set(known).size < known.length)', 'if (false)'],
    ],
  },
  {
    file: 'src/server/features/vouchers/vouchers.service.ts',
    tests: ['src/server/features/vouchers/vouchers.test.ts'],
    mutants: [
      [
        "and(eq(vouchers.codeHash, hashOf(typed)), isIn('unused', at))",
        'eq(vouchers.codeHash, hashOf(typed))',
      ],
      ['gt(vouchers.expiresAt, now)', 'isNotNull(vouchers.expiresAt)'],
      ['and(eq(vouchers.id, id), isNull(vouchers.usedAt))', 'eq(vouchers.id, id)'],
      ['if (end !== null && end <= now) {', 'if (false) {'],
      ["from: 'vouchers',", "from: 'received',"],
    ],
  },
]

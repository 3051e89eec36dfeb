import type { Group } from '../mutant.ts'

const FOLDER = 'src/server/payments/providers/monero'
const WHOLE = [`${FOLDER}/monero.test.ts`]

/** Money that counts too early, at the wrong rate, or for the wrong payment. */
export const MONERO: Group[] = [
  {
    file: `${FOLDER}/monero-facts.ts`,
    tests: [`${FOLDER}/monero-facts.test.ts`],
    mutants: [
      ['if (cents <= 2000) return 1', 'if (cents <= 2001) return 1'],
      ['return cents <= 10_000 ? 3 : 10', 'return 3'],
      ['confirmationsFor(Math.max(amountCents, seenCents))', 'confirmationsFor(amountCents)'],
      ['confirmations >= needed', 'confirmations > 0'],
      ['!isTimeLocked && !isDoubleSpent', '!isDoubleSpent'],
      ['!isTimeLocked && !isDoubleSpent', '!isTimeLocked'],
      ["return counted('confirming', 0)", "return counted('confirming', worthInCents(final))"],
      ['some.filter(({ isOnTime }) => isOnTime)', 'some'],
      ['Math.min(at.getTime(), now.getTime())', 'now.getTime()'],
    ],
  },
  {
    file: `${FOLDER}/rate-source.ts`,
    tests: [`${FOLDER}/rate-source.test.ts`],
    mutants: [
      ['if (rate < figure(min))', 'if (false)'],
      ['if (rate > figure(max))', 'if (false)'],
      ['if (status !== 200)', 'if (false)'],
    ],
  },
  {
    file: `${FOLDER}/monero-sight.ts`,
    tests: [`${FOLDER}/rate-source.test.ts`],
    mutants: [
      ['return now < held ? now : held', 'return held'],
      ['return now < held ? now : held', 'return now'],
    ],
  },
  {
    file: `${FOLDER}/monero-rows.ts`,
    tests: WHOLE,
    mutants: [['return row?.index ?? 0', 'return 0']],
  },
  {
    file: `${FOLDER}/monero-sight.ts`,
    tests: WHOLE,
    mutants: [
      ['if (known !== address) {', 'if (false) {'],
      ['if (!(await wallet.isViewOnly())) {', 'if (false) {'],
      ['height < known - REORG_BLOCKS || ', ''],
      [' || height <= (await highestHeight(db, walletId, longAgo))', ''],
      ['await wallet.makeUpTo(await highestIndex(db, walletId))', ''],
      ['const transfers = countable(all)', 'const transfers = all'],
    ],
  },
  {
    file: `${FOLDER}/wallet.ts`,
    tests: WHOLE,
    mutants: [
      ['while (made.index <= index) made = await create(index - made.index + 1)', ''],
      ['error.rpcCode === RPC.viewOnly', 'true'],
    ],
  },
  {
    file: 'src/server/payments/poll.ts',
    tests: WHOLE,
    mutants: [['inArray(payments.providerPaymentId, [...recent])', 'undefined']],
  },
]

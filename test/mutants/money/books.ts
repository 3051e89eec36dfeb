import type { Group } from '../mutant.ts'

const RECEIPTS = 'src/server/receipts/receipts.test.ts'
const BOOKS = 'src/server/features/books/books.test.ts'

/** Receipts, the list of payments, and the ledger as a table. */
export const BOOKS_KEPT: Group[] = [
  {
    file: 'src/server/receipts/receipts.ts',
    tests: [RECEIPTS],
    mutants: [
      ['pg_advisory_xact_lock', 'abs'],
      ['hasLookedAtAll ? { since } : {}', '{ since }'],
    ],
  },
  {
    file: 'src/server/receipts/due-receipts.ts',
    tests: [RECEIPTS],
    mutants: [["and(eq(ledger.account, 'credit'), eq(orders.kind, 'top-up')),", '']],
  },
  {
    file: 'src/server/features/books/ledger-table.ts',
    tests: [BOOKS],
    mutants: [['rows.filter(({ isWithin }) => isWithin)', 'rows']],
  },
  {
    file: 'src/shared/csv.ts',
    tests: ['src/shared/csv.test.ts'],
    mutants: [
      ['FORMULA.test(text) && !NUMBER.test(text)', 'false'],
      [' && !NUMBER.test(text)', ''],
      ["safe.replaceAll('\"', '\"\"')", 'safe'],
    ],
  },
  {
    file: 'src/server/config/payment-ways.ts',
    tests: ['src/server/config/payment-ways.test.ts'],
    mutants: [['hidden.includes(id) ? [] : words', 'words']],
  },
]

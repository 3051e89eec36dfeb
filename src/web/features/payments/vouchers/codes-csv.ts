import type { NewVouchers } from '#shared/api/money/vouchers.ts'
import { csvLine } from '#shared/csv.ts'

/** One line for each code. */
export const csvOf = ({ vouchers, amount, currency, expiresAt }: NewVouchers): string =>
  [
    ['code', 'amount', 'currency', 'expires'],
    ...vouchers.map(({ code }) => [code, amount, currency.toUpperCase(), expiresAt ?? '']),
  ]
    .map(csvLine)
    .join('')

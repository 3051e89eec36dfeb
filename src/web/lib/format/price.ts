import { formatUsd, parseAmount } from '#shared/rules/money/money.ts'

/** "5.00" → "$5.00" */
export const priceText = (amount: string): string => formatUsd(parseAmount(amount) ?? 0)

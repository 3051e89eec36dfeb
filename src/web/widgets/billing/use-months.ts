import { useQuery } from '@tanstack/react-query'
import { decimal, parseAmount } from '#shared/rules/money/money.ts'
import { MONTHS, type Months, NO_DISCOUNTS, priceOfMonths } from '#shared/rules/money/months.ts'
import { renewedUntil } from '#shared/rules/token/token-expiry.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'

type Renewed = { monthlyPrice: string; durationDays: number; expiresAt: string | null }

/** What can be bought of a server now, each with the operator's discount. */
export function useMonths(token: Renewed, now: number) {
  const { data } = useQuery({ ...query(api.billing.overview), staleTime: 0 })
  const percentOf = (months: Months) =>
    data?.discounts.find((one) => one.months === months)?.percent ?? 0
  return MONTHS.flatMap((months) => {
    const until = renewedUntil(token, new Date(now), months)
    if (until === undefined) return []
    const percent = percentOf(months)
    const discounts = { ...NO_DISCOUNTS, [months]: percent }
    const cents = priceOfMonths(parseAmount(token.monthlyPrice) ?? 0, months, discounts)
    return [{ months, days: months * token.durationDays, price: decimal(cents), percent, until }]
  })
}

export const EMPTY_COUPON = {
  code: '',
  kind: 'percent' as 'percent' | 'amount',
  off: '',
  firstDay: '',
  lastDay: '',
  /** The chosen packages; none of them: all. */
  packageIds: [] as string[],
  /** Which orders it is for. */
  orders: 'purchases' as 'purchases' | 'first' | 'renewals',
  maxUses: '',
  maxPerAccount: '1',
  note: '',
}
export type CouponFields = typeof EMPTY_COUPON

const numberOrNull = (text: string): number | null => (text.trim() === '' ? null : Number(text))

/** From the beginning of the first day to the end of the last, in the operator's own time. */
const timeOf = (day: string, clock: string): string | null =>
  day === '' ? null : new Date(`${day}T${clock}`).toISOString()

/** What is sent for a filled form; its schema judges it. */
export const couponBody = (fields: CouponFields) => ({
  code: fields.code,
  percent: fields.kind === 'percent' ? Number(fields.off) : null,
  amountOff: fields.kind === 'amount' ? fields.off : null,
  packageIds: fields.packageIds.length === 0 ? null : fields.packageIds,
  firstOnly: fields.orders === 'first',
  renewals: fields.orders === 'renewals',
  validFrom: timeOf(fields.firstDay, '00:00:00.000'),
  validUntil: timeOf(fields.lastDay, '23:59:59.999'),
  maxUses: numberOrNull(fields.maxUses),
  maxPerAccount: numberOrNull(fields.maxPerAccount),
  note: fields.note,
})

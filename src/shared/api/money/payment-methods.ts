import { z } from 'zod'
import { MONTHS } from '../../rules/money/months.ts'
import { route } from '../parts/route.ts'

export const PaymentKind = z.enum([
  'card',
  'lightning',
  'bitcoin',
  'monero',
  'manual',
  'credit',
  'sandbox',
])
export type PaymentKind = z.output<typeof PaymentKind>

/** One way to pay, as the buyer chooses it. */
export const PaymentWay = z.object({ id: z.string(), name: z.string(), kind: PaymentKind })
export type PaymentWay = z.output<typeof PaymentWay>

/** How something is to be paid: the first way that is offered, where nothing is named. */
export const Paying = z.object({
  paymentMethod: z
    .string()
    .regex(/^[a-z][a-z-]{0,39}$/, 'Please choose one of the ways to pay')
    .optional(),
})
export type Paying = z.output<typeof Paying>

/** A renewal: one period, where nothing is named. */
export const Renewing = Paying.extend({
  months: z.literal(MONTHS, 'Please choose 1, 3, 6 or 12 months').optional(),
})
export type Renewing = z.output<typeof Renewing>

export const paymentMethods = {
  list: route({
    method: 'GET',
    path: '/api/payment-methods',
    access: 'public',
    summary: 'The ways to pay here, in the order in which they are offered',
    response: z.array(PaymentWay),
  }),
  outages: route({
    method: 'GET',
    path: '/api/payment-methods/outages',
    access: 'public',
    summary: 'The ways to pay that do not work right now, each with a sentence',
    response: z.array(PaymentWay.extend({ message: z.string() })),
  }),
}

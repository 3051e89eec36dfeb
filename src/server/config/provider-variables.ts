import { z } from 'zod'

export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http(s) address' })

/** Of one Monero. */
const dollars = z
  .string()
  .regex(/^(?=.*[1-9])\d{1,7}(\.\d{1,8})?$/, 'must be a price in dollars, such as 158.40')

/** The variables of the payment providers. What an operator enters on the page is judged by them too. */
export const PROVIDER_VARIABLES = {
  STRIPE_SECRET_KEY: z.string().optional(),
  STRIPE_SECRET_KEY_FILE: z.string().optional(),
  STRIPE_WEBHOOK_SECRET: z.string().optional(),
  STRIPE_WEBHOOK_SECRET_FILE: z.string().optional(),
  STRIPE_API_URL: httpUrl.optional(),
  BTCPAY_URL: httpUrl.optional(),
  BTCPAY_STORE_ID: z.string().optional(),
  BTCPAY_API_KEY: z.string().optional(),
  BTCPAY_API_KEY_FILE: z.string().optional(),
  BTCPAY_WEBHOOK_SECRET: z.string().optional(),
  BTCPAY_WEBHOOK_SECRET_FILE: z.string().optional(),
  BTCPAY_PAYMENT_METHODS: z
    .string()
    .regex(/^[\w-]+(,[\w-]+)*$/, 'must be ids of payment methods, comma-separated')
    .optional(),
  MONERO_WALLET_URL: httpUrl.optional(),
  MONERO_WALLET_LOGIN: z.string().optional(),
  MONERO_WALLET_LOGIN_FILE: z.string().optional(),
  MONERO_RATE: dollars.optional(),
  MONERO_RATE_URL: httpUrl.optional(),
  MONERO_RATE_FIELD: z
    .string()
    .regex(/^[^.\s]+(\.[^.\s]+)*$/, 'must be names of fields, with dots between them')
    .optional(),
  MONERO_RATE_MIN: dollars.optional(),
  MONERO_RATE_MAX: dollars.optional(),
}

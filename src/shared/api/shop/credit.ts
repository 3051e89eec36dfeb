import { z } from 'zod'
import { isTopUp, topUpBounds } from '../../rules/money/top-up.ts'
import { Paying } from '../money/payment-methods.ts'
import { idParams, Price, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { Checkout } from './billing.ts'

export const TopUp = Paying.extend({ amount: Price.refine(isTopUp, { error: topUpBounds }) })

export const credit = {
  topUp: route({
    method: 'POST',
    path: '/api/client/credit/top-up',
    idempotent: true,
    access: 'client-in-person',
    summary: 'Buy credit; it is there once it is paid',
    body: TopUp,
    response: Checkout,
    status: 201,
  }),
  autoRenew: route({
    method: 'PUT',
    path: '/api/client/tokens/:id/auto-renew',
    access: 'client-in-person',
    summary: 'Renew a server from credit three days before its end, or no longer',
    params: idParams,
    body: z.object({ enabled: z.boolean() }),
    response: z.object({ enabled: z.boolean(), renewsAt: Timestamp.nullable() }),
  }),
}

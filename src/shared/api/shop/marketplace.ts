import { z } from 'zod'
import { WithCoupon } from '../money/coupons.ts'
import { Paying } from '../money/payment-methods.ts'
import { Id } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { UserDataOffer, Wishes } from '../parts/wishes.ts'
import { ClientOrder } from './orders.ts'
import { TokenFacts } from './tokens.ts'

/** An offer, without any field of the server that another client could misuse. */
export const MarketplaceToken = TokenFacts.extend({
  /** Set only where the token is the caller's own. */
  assignedUserId: Id.nullable(),
})
export type MarketplaceToken = z.output<typeof MarketplaceToken>

/** The token's id, or its public token id. */
const offerParams = z.object({ tokenId: z.string().regex(/^[\w-]{1,64}$/) })

const Claim = z.object({
  token: TokenFacts,
  order: ClientOrder,
  /** Where to pay, if anything is due. */
  checkoutUrl: z.string().optional(),
  /** The job that creates the server; its progress arrives over the event stream. */
  jobId: z.string().optional(),
})

export const marketplace = {
  tokens: route({
    method: 'GET',
    path: '/api/marketplace/tokens',
    access: 'client',
    staff: 'help',
    scope: 'billing:read',
    summary: 'What can be bought, tried or deployed now',
    response: z.array(MarketplaceToken),
  }),
  userData: route({
    method: 'GET',
    path: '/api/marketplace/user-data',
    access: 'client',
    staff: 'help',
    scope: 'billing:read',
    summary: 'Whether a token, or without one a package, takes a start-up script or cloud-config',
    query: z.object({
      tokenId: z.coerce.number<number>().int().positive().max(2_147_483_647).optional(),
    }),
    response: UserDataOffer,
  }),
  purchase: route({
    method: 'POST',
    path: '/api/marketplace/purchase/:tokenId',
    idempotent: true,
    access: 'client-in-person',
    scope: 'billing:spend',
    summary: 'Buy a token, or deploy a ready one',
    params: offerParams,
    body: Wishes.extend({ ...Paying.shape, ...WithCoupon.shape }),
    response: Claim,
    status: 201,
  }),
  trial: route({
    method: 'POST',
    path: '/api/marketplace/trial/:tokenId',
    idempotent: true,
    access: 'client-in-person',
    scope: 'billing:spend',
    summary: 'Take a free trial',
    params: offerParams,
    body: Wishes,
    response: Claim,
    status: 201,
  }),
}

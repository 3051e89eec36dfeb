import { expect } from '@playwright/test'
import type { LinkedServer } from '#shared/api/shop/payment-links.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { HALF_PAID } from '../answers/order-answers.ts'
import { pressAndAsk, type Screen } from '../answers/screen-acts.ts'

const LINK: LinkedServer = {
  label: 'web-1',
  plan: 'Small, 1 CPU, 2 GB RAM, 40 GB SSD',
  currency: 'usd',
  paidUntil: new Date(Date.now() + 9 * DAY_MS).toISOString(),
  offers: [
    { months: 1, days: 30, price: '6.00' },
    { months: 3, days: 90, price: '17.10' },
    { months: 6, days: 180, price: '32.40' },
    { months: 12, days: 360, price: '57.60' },
  ],
  open: null,
}

/** The end of the credit is near, and some of it was taken back. */
const shortOfCredit = (billing: unknown): unknown => ({
  ...(billing as object),
  credit: '0.00',
  owed: '4.00',
  creditLasts: {
    until: new Date(Date.now() + 5 * DAY_MS).toISOString(),
    name: 'web-1',
    missing: '6.00',
  },
})

const CALLS = '**/api/pay/*'

/** Credit, renewals from it, and the page of a payment link. */
export const CREDIT_SCREENS: readonly Screen[] = [
  {
    role: 'customer',
    name: 'billing-short-of-credit',
    path: '/billing',
    answers: { '**/api/client/billing': shortOfCredit },
    prepare: (page) => expect(page.getByText('Your credit lasts until')).toBeVisible(),
  },
  {
    role: 'customer',
    name: 'billing-top-up',
    path: '/billing',
    answers: { '**/api/client/billing': shortOfCredit },
    prepare: pressAndAsk('Top up'),
  },
  { role: 'visitor', name: 'pay-link', path: '/pay/some-code', answers: { [CALLS]: LINK } },
  {
    role: 'visitor',
    name: 'pay-link-open',
    path: '/pay/some-code',
    answers: {
      [CALLS]: { ...LINK, open: { orderId: 9001, months: 3, checkout: HALF_PAID.checkout } },
    },
  },
  { role: 'visitor', name: 'pay-link-not-valid', path: '/pay/some-code' },
]

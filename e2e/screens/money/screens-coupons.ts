import { expect, type Page } from '@playwright/test'
import type { Coupon, CouponPreview } from '#shared/api/money/coupons.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { expectDialog } from '../../acts/looking.ts'
import { pressAndAsk, type Screen } from '../answers/screen-acts.ts'

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

const SPRING: Coupon = {
  id: 1,
  code: 'SPRING-26',
  percent: 20,
  amountOff: null,
  currency: 'usd',
  packageIds: null,
  firstOnly: false,
  renewals: true,
  validFrom: null,
  validUntil: inDays(9),
  maxUses: 50,
  maxPerAccount: 1,
  note: 'The letter of March',
  isOn: true,
  state: 'on',
  used: 12,
  reserved: 1,
  createdAt: inDays(-20),
}

const COUPONS: Coupon[] = [
  SPRING,
  {
    ...SPRING,
    id: 2,
    code: '7K2Q-DM4X-YA9T-03PB',
    percent: null,
    amountOff: '2.50',
    packageIds: ['small', 'medium'],
    firstOnly: true,
    renewals: false,
    validFrom: inDays(3),
    validUntil: null,
    maxUses: null,
    note: null,
    state: 'to come',
    used: 0,
    reserved: 0,
  },
  {
    ...SPRING,
    id: 3,
    code: 'HARBOUR-FESTIVAL',
    maxUses: 10,
    used: 10,
    reserved: 0,
    state: 'used up',
  },
]

const PREVIEW: CouponPreview = {
  code: 'SPRING-26',
  percent: 20,
  amountOff: null,
  price: '6.00',
  discount: '1.20',
  total: '4.80',
  currency: 'usd',
}

const openCheckout = async (page: Page) => {
  await page
    .getByRole('button', { name: /^Order / })
    .first()
    .click()
  await expectDialog(page)
  await page.getByRole('button', { name: 'Use a coupon' }).click()
}

async function applyCoupon(page: Page): Promise<void> {
  await openCheckout(page)
  await page.getByLabel('Coupon').fill('spring 26')
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(page.getByRole('button', { name: 'Remove the coupon' })).toBeVisible()
}

/** Coupons, as operators make them and as clients use them. */
export const COUPON_SCREENS: readonly Screen[] = [
  {
    role: 'admin',
    name: 'coupons',
    path: '/settings?tab=payments',
    answers: { '**/api/coupons': COUPONS },
    prepare: (page) => page.getByText('HARBOUR-FESTIVAL').scrollIntoViewIfNeeded(),
  },
  {
    role: 'admin',
    name: 'coupon-make',
    path: '/settings?tab=payments',
    prepare: pressAndAsk('Make a coupon'),
  },
  { role: 'client', name: 'coupon-ask', path: '/pricing', prepare: openCheckout },
  {
    role: 'client',
    name: 'coupon-applied',
    path: '/pricing',
    answers: { '**/api/client/coupons/preview': PREVIEW },
    prepare: applyCoupon,
  },
]

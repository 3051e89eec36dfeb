import type { Page } from '@playwright/test'
import type { PackageChoice, PackageChoices } from '#shared/api/shop/package-change.ts'
import { pressAndAsk, type Screen } from '../answers/screen-acts.ts'
import { answers, DAY_MS, inMs, PATH } from '../answers/server-states.ts'

const choice = (given: Partial<PackageChoice>): PackageChoice => ({
  id: 'harbour',
  name: 'Harbour',
  price: '12.00',
  size: { cpu: 2, ramGb: 4, diskGb: 80, diskKind: 'SSD' },
  refusal: null,
  preview: {
    now: '0.00',
    // biome-ignore lint/suspicious/noThenProperty: the name is published, and a text is no thenable
    then: '12.00',
    from: inMs(10 * DAY_MS),
    days: 10,
    needsRestart: true,
    time: 'at-renewal',
  },
  ...given,
})

const HARBOUR = choice({ refusal: 'This server has this package already.' })
const { preview } = HARBOUR
const COVE = choice({
  id: 'cove',
  name: 'Cove',
  price: '6.00',
  size: { cpu: 1, ramGb: 2, diskGb: 80, diskKind: 'SSD' },
  // biome-ignore lint/suspicious/noThenProperty: the name is published, and a text is no thenable
  preview: { ...preview, then: '6.00' },
})
const OCEAN = choice({
  id: 'ocean',
  name: 'Ocean',
  price: '17.50',
  size: { cpu: 4, ramGb: 8, diskGb: 160, diskKind: 'SSD' },
  // biome-ignore lint/suspicious/noThenProperty: the name is published, and a text is no thenable
  preview: { ...preview, now: '1.83', then: '17.50', time: 'at-once' },
})
const POND = choice({
  id: 'pond',
  name: 'Pond',
  price: '3.00',
  size: { cpu: 1, ramGb: 1, diskGb: 20, diskKind: 'SSD' },
  refusal: 'A disk cannot shrink: this server has 80 GB, this package 20 GB.',
})

const choices = (credit: string): PackageChoices => ({
  packages: [POND, COVE, HARBOUR, OCEAN],
  planned: null,
  credit,
})

const choose = (name: string) => async (page: Page) => {
  await pressAndAsk(/^Change package of/)(page)
  await page.getByRole('radio', { name: new RegExp(name) }).check()
}

const withChoices = (credit: string) => ({
  ...answers(),
  '**/api/instances/7/packages': choices(credit),
})

/** Another package for a server, and the planned one. */
export const PACKAGE_CHANGE_SCREENS: readonly Screen[] = [
  {
    role: 'client',
    name: 'server-package',
    path: PATH,
    answers: withChoices('20.00'),
    prepare: choose('Ocean'),
  },
  {
    role: 'client',
    name: 'server-package-short-of-credit',
    path: PATH,
    answers: withChoices('0.50'),
    prepare: choose('Ocean'),
  },
  {
    role: 'client',
    name: 'server-package-smaller',
    path: PATH,
    answers: withChoices('0.00'),
    prepare: choose('Cove'),
  },
  {
    role: 'client',
    name: 'server-package-planned',
    path: PATH,
    answers: answers({
      monthlyPrice: '6.00',
      nextPackage: { id: 'cove', name: 'Cove', price: '6.00', size: COVE.size, from: null },
    }),
  },
]

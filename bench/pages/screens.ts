import type { Browser, Page } from '@playwright/test'
import { admin, enter } from '../../e2e/acts/people.ts'
import { signIn } from '../../src/server/testing/server-process.ts'
import { addCluster, post } from '../add-cluster.ts'
import { atMost, type Figure, median } from '../figure.ts'
import { withBrowser, withLargeCluster, withServer } from '../with-server.ts'
import { measureScrolling } from './scrolling.ts'

const VIEWPORT = { width: 1440, height: 900 }
const ROUNDS = 5

type Screen = {
  path: string
  row: (page: Page) => ReturnType<Page['locator']>
  /** The scrolling element, and the query that shows all ten thousand rows. */
  scrolls: string
  all: string
}

const SCREENS: Screen[] = [
  {
    path: '/instances',
    row: (page) => page.getByRole('article').first(),
    scrolls: 'document.scrollingElement',
    all: '',
  },
  {
    path: '/proxmox-manager',
    row: (page) => page.getByRole('treeitem').nth(5),
    scrolls: 'document.querySelector("[role=tree]")',
    all: '?q=vm',
  },
]

/** What a browser draws with 100 nodes and 10 000 VMs, compared with an empty page. */
export const measureScreens = (): Promise<Figure[]> =>
  withLargeCluster((sim) =>
    withServer(({ server }) =>
      withBrowser(async (browser) => {
        const call = await signIn(server.url)
        await addCluster(call, sim)
        await post(call, '/api/sync/proxmox')
        const figures: Figure[] = []
        for (const screen of SCREENS) figures.push(...(await measure(browser, server.url, screen)))
        return figures
      }),
    ),
  )

async function measure(browser: Browser, url: string, screen: Screen): Promise<Figure[]> {
  const context = await browser.newContext({ baseURL: url, viewport: VIEWPORT })
  try {
    const page = await context.newPage()
    await enter(page, admin)
    const ready: number[] = []
    for (let n = 0; n < ROUNDS; n += 1) ready.push(await untilInteractive(page, screen))
    await page.goto(screen.path + screen.all)
    await screen.row(page).waitFor()
    return [
      atMost(`${screen.path} of 10 000 VMs: from address to usable`, median(ready), 2000, 'ms'),
      await measureScrolling(context, page, { what: screen.path, target: screen.scrolls }),
    ]
  } finally {
    await context.close()
  }
}

/** Resolves once a row is shown and the page is idle enough to respond. */
async function untilInteractive(page: Page, { path, row }: Screen): Promise<number> {
  const started = performance.now()
  await page.goto(path)
  await row(page).waitFor()
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))')
  return performance.now() - started
}

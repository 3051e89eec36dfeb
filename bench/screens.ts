import { type Browser, chromium, type Page } from '@playwright/test'
import { startSim } from '#pve-sim/sim.ts'
import { chromiumPath, QUIET } from '../e2e/browser.ts'
import { admin, enter } from '../e2e/people.ts'
import { startPostgres } from '../src/server/testing/postgres.ts'
import { removeFolder, signIn, startProcess } from '../src/server/testing/server-process.ts'
import { addCluster, post } from './add-cluster.ts'
import { atLeast, atMost, type Figure, median } from './figure.ts'

const VIEWPORT = { width: 1440, height: 900 }
const ROUNDS = 5

type Screen = {
  path: string
  row: (page: Page) => ReturnType<Page['locator']>
  /** What scrolls, and with which query it shows all of the ten thousand. */
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

/** What a browser draws of 100 nodes and 10 000 VMs, beside what it draws of nothing. */
export async function measureScreens(): Promise<Figure[]> {
  const sim = await startSim({ seed: 1, nodes: 100, vms: 10_000, authDelayMs: 0 })
  const postgres = await startPostgres()
  const server = await startProcess({
    DATABASE_URL: postgres.url,
    SECRET_KEY: 'a key for the benchmark, long enough',
    DEMO: '1',
  })
  const browser = await chromium.launch({ executablePath: await chromiumPath(), args: QUIET })
  try {
    const call = await signIn(server.url)
    await addCluster(call, sim)
    await post(call, '/api/sync/proxmox')
    const figures: Figure[] = []
    for (const screen of SCREENS) figures.push(...(await measure(browser, server.url, screen)))
    return figures
  } finally {
    await browser.close()
    await server.stop()
    await postgres.stop()
    await sim.close()
    removeFolder(server.dataDir)
  }
}

async function measure(browser: Browser, url: string, screen: Screen): Promise<Figure[]> {
  const context = await browser.newContext({ baseURL: url, viewport: VIEWPORT })
  try {
    const page = await context.newPage()
    await enter(page, admin)
    const ready: number[] = []
    for (let n = 0; n < ROUNDS; n += 1) ready.push(await untilInteractive(page, screen))
    const drawn: number[] = []
    const empty: number[] = []
    await page.goto(screen.path + screen.all)
    await screen.row(page).waitFor()
    // In turns, so that what else the machine does hits both.
    const blank = await context.newPage()
    await blank.setContent('<div style="height: 1000000px"></div>')
    for (let n = 0; n < ROUNDS; n += 1) {
      empty.push(await framesOf(blank, 'document.scrollingElement'))
      drawn.push(await framesOf(page, screen.scrolls))
    }
    const limit = median(empty)
    return [
      atMost(`${screen.path} of 10 000 VMs: from address to usable`, median(ready), 2000, 'ms'),
      atLeast(
        `${screen.path}: frames while scrolling, share of an empty page's ${Math.round(limit)}/s`,
        median(drawn) / limit,
        0.95,
      ),
    ]
  } finally {
    await context.close()
  }
}

/** Until a row is there and the page has time for the next thing: it answers what is asked of it. */
async function untilInteractive(page: Page, { path, row }: Screen): Promise<number> {
  const started = performance.now()
  await page.goto(path)
  await row(page).waitFor()
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))')
  return performance.now() - started
}

/** Frames a second over two seconds of scrolling, quick enough that every frame shows other rows. */
async function framesOf(page: Page, target: string): Promise<number> {
  await page.bringToFront()
  return await page.evaluate<number>(`new Promise((done, failed) => {
    const target = ${target}
    if (!target) return failed(new Error('nothing scrolls here'))
    target.scrollTop = 0
    let frames = 0
    let started
    const step = (now) => {
      started ??= now
      if (now - started >= 2000) return done((frames * 1000) / (now - started))
      frames += 1
      target.scrollTop += 150
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })`)
}

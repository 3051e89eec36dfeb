import type { BrowserContext, Page } from '@playwright/test'
import pg from 'pg'
import { admin, enter } from '../../e2e/acts/people.ts'
import { atMost, type Figure, median } from '../figure.ts'
import { withBrowser, withServer } from '../with-server.ts'
import { measureScrolling } from './scrolling.ts'

const VIEWPORT = { width: 1440, height: 900 }
const ROUNDS = 5
const USERS = 5_000
/** As named in the sidebar; each is visited once before it is measured. */
const PAGES = ['Instance Tokens', 'Packages', 'Instances', 'Nodes & Templates', 'System Users']

/** Navigates from page to page of the signed-in area, and scrolls a table of five thousand rows. */
export const measurePages = (): Promise<Figure[]> =>
  withServer(({ server, databaseUrl }) =>
    withBrowser(async (browser) => {
      await crowd(databaseUrl)
      const context = await browser.newContext({ baseURL: server.url, viewport: VIEWPORT })
      return [...(await switching(context)), await scrolling(context)]
    }),
  )

async function crowd(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `insert into users (username, email, first_name, last_name, password_hash)
     select 2000000 + n, 'person' || n || '@example.test', 'Person', 'Number ' || n, 'none'
     from generate_series(1, ${USERS}) n`,
  )
  await client.end()
}

async function switching(context: BrowserContext): Promise<Figure[]> {
  const page = await context.newPage()
  await enter(page, admin)
  await page.goto('/')
  for (const name of PAGES) await go(page, name)
  const figures: Figure[] = []
  for (const name of PAGES) {
    const times: number[] = []
    for (let n = 0; n < ROUNDS; n += 1) {
      await go(page, 'Settings')
      times.push(await go(page, name))
    }
    figures.push(atMost(`to ${name}: from press to paint, warm`, median(times), 100, 'ms'))
  }
  await page.close()
  return figures
}

/** Milliseconds from the click until a frame with the page's content is drawn. */
async function go(page: Page, name: string): Promise<number> {
  await page.getByRole('link', { name, exact: true }).waitFor()
  return await page.evaluate<number>(`new Promise((done) => {
    const link = [...document.querySelectorAll('nav a')].find(
      (one) => one.textContent === ${JSON.stringify(name)},
    )
    const started = performance.now()
    const content = () => document.querySelector('main')?.firstElementChild
    const old = content()
    const look = () => {
      const now = content()
      const isThere = now && now !== old && !now.querySelector('[role=status] .animate-late')
      // The frame after this one is the one that shows it.
      if (isThere) requestAnimationFrame(() => setTimeout(() => done(performance.now() - started)))
      else requestAnimationFrame(look)
    }
    link.click()
    look()
  })`)
}

async function scrolling(context: BrowserContext): Promise<Figure> {
  const page = await context.newPage()
  await page.goto('/users')
  await page.getByRole('row').nth(5).waitFor()
  return await measureScrolling(context, page, { what: `${USERS} accounts` })
}

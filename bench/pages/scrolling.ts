import type { BrowserContext, Page } from '@playwright/test'
import { atLeast, type Figure, median } from '../figure.ts'

const ROUNDS = 5
const WHOLE_PAGE = 'document.scrollingElement'

/** How many frames a page draws while scrolling, compared with an empty page in the same run. */
export async function measureScrolling(
  context: BrowserContext,
  page: Page,
  { what, target = WHOLE_PAGE }: { what: string; target?: string },
): Promise<Figure> {
  const blank = await context.newPage()
  await blank.setContent('<div style="height: 1000000px"></div>')
  const drawn: number[] = []
  const empty: number[] = []
  // In turns, so that other load on the machine hits both.
  for (let n = 0; n < ROUNDS; n += 1) {
    empty.push(await framesOf(blank, WHOLE_PAGE))
    drawn.push(await framesOf(page, target))
  }
  await blank.close()
  const limit = median(empty)
  return atLeast(
    `${what}: frames while scrolling, share of an empty page's ${Math.round(limit)}/s`,
    median(drawn) / limit,
    0.95,
  )
}

/**
 * Frames per second over two seconds of scrolling, fast enough that every frame shows other rows.
 */
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

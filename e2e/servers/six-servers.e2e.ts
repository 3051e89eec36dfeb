import { enter } from '../acts/people.ts'
import { expect, test } from '../house/fixtures.ts'

test('six servers fit on one screen of 900 pixels, on both pages', async ({ page, people }) => {
  await enter(page, await people.customer())
  await page.setViewportSize({ width: 1440, height: 900 })
  for (const [path, list] of [
    ['/client-dashboard', '/api/client/tokens'],
    ['/my-instances', '/api/client/instances'],
  ] as const) {
    const rows = (await (await page.request.get(list)).json()) as { id: number; label: string }[]
    const short = rows.filter(({ label }) => label.length < 60)
    const six = Array.from({ length: 6 }, (_, n) => ({ ...short[n % short.length], id: 900 + n }))
    await page.route(`**${list}`, (route) => route.fulfill({ json: six }))
    await page.goto(path)
    const cards = page.getByRole('article')
    await expect(cards).toHaveCount(6)
    await expect(cards.last()).toBeInViewport({ ratio: 1 })
  }
})

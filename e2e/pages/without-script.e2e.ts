import { expect, test } from '../house/fixtures.ts'

test('a visitor without JavaScript reads what the product is', async ({ elsewhere }) => {
  const page = await elsewhere({ javaScriptEnabled: false })
  for (const path of ['/', '/pricing', '/settings']) {
    await page.goto(path)
    await expect(page).toHaveTitle('Hushbox')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Hushbox')
    const text = page.getByRole('paragraph')
    await expect(text).toContainText([
      'Virtual private servers for people who give no name. No e-mail address and no phone number',
      'needs JavaScript',
    ])
    await expect(text.first()).toBeInViewport()
  }
})

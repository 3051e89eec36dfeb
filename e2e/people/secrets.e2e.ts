import { expect, test } from '../house/fixtures.ts'

/** Everything a browser stores beyond the page. */
const kept = () =>
  JSON.stringify({
    local: { ...localStorage },
    session: { ...sessionStorage },
    cookies: document.cookie,
    address: location.href,
  })

test('a password is in no address and in nothing that the browser stores', async ({
  page,
  people,
  signIn,
}) => {
  const { username, password } = await people.anonymous()
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  await signIn(username, password)
  for (const path of ['/client-dashboard', '/settings?tab=security', '/profile', '/my-instances']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    expect(await page.evaluate(kept)).not.toContain(password)
  }
  expect(addresses.length).toBeGreaterThan(10)
  for (const address of addresses) expect(decodeURIComponent(address)).not.toContain(password)
})

import type { Locator, Page } from '@playwright/test'

const HELD = 12

/** Slows everything on the page down by this factor from now on. */
export async function slowDown(page: Page, rate: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate })
  await session.detach()
}

/** The ways in which people press a button more than once. */
export const WAYS: Record<string, (page: Page, button: Locator) => Promise<void>> = {
  'a double click': async (_page, button) => button.dblclick({ delay: 0 }),
  'a held Enter': async (page, button) => {
    await button.focus()
    for (let times = 0; times < HELD; times += 1) await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
  },
}

/** Fills the dialog Add Package with valid values. */
export async function fillPackage(dialog: Locator, name: string): Promise<void> {
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('CPU').fill('1 CPU')
  await dialog.getByLabel('RAM').fill('1 GB RAM')
  await dialog.getByLabel('Storage').fill('10 GB SSD')
  await dialog.getByLabel('Price (USD)').fill('3')
}

/** The idempotency keys of the POSTs that the page sends to this path. */
export function watchPosts(page: Page, path: RegExp): string[] {
  const keys: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'POST' || !path.test(new URL(request.url()).pathname)) return
    keys.push(request.headers()['idempotency-key'] ?? 'no key')
  })
  return keys
}

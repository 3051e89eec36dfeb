import type { Page } from '@playwright/test'

/** What happens to some calls: no answer, no connection, or a connection lost later. */
export type Trouble = { calls: string; kind: 'hang' | 'fail' | 'lose' }

/**
 * As with a bad connection: the browser's own network fails, no answer is made up. Returns a
 * function that ends this.
 */
export async function loseCalls(page: Page, calls: string): Promise<() => Promise<void>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setBlockedURLs', { urls: [calls] })
  return () => session.detach()
}

/** For screenshots only: a call that is never answered. */
export const holdCalls = (page: Page, calls: string): Promise<unknown> =>
  page.route(calls, () => undefined)

/** By address: a fixed answer, or a function that changes the server's answer. */
export type Answers = Readonly<Record<string, object | ((real: unknown) => unknown)>>

export async function answerCalls(page: Page, answers: Answers): Promise<void> {
  for (const [calls, answer] of Object.entries(answers)) {
    await page.route(calls, async (route) => {
      if (typeof answer !== 'function') return await route.fulfill({ json: answer })
      const response = await route.fetch()
      await route.fulfill({ response, json: answer(await response.json()) })
    })
  }
}

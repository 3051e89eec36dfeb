import { expect, type Locator, type Page } from '@playwright/test'
import type { Vm } from '#pve-sim/state/types.ts'
import type { Shop } from '../house/shop.ts'
import { enter, type People } from './people.ts'

/** Creating a server takes a while. */
export const PROVISIONED = { timeout: 60_000 }

/** Presses the offer's button and confirms; ends at the card on My VPS. */
export async function take(page: Page, name: string): Promise<Locator> {
  await page.goto('/create-instance')
  const offer = page.getByRole('article', { name })
  await offer.getByRole('button', { name: /^(Buy|Start Free Trial|Instant Deploy)/ }).click()
  const question = page.getByRole('alertdialog')
  await question.getByRole('button', { name: /^(Buy for|Start Free Trial|Instant Deploy)/ }).click()
  await expect(page.getByRole('heading', { name: 'My VPS Dashboard' })).toBeVisible(PROVISIONED)
  return cardOf(page, name)
}

/** A new client buys a server that was just put on sale. */
export async function buy(
  page: Page,
  { people, shop }: { people: People; shop: Shop },
  name: string,
) {
  await shop.offer(name)
  const client = await people.anonymous()
  await enter(page, client)
  return { client, card: await take(page, name) }
}

/** The VM of a server with this name, as the cluster reports it now. */
export const vmOf = ({ sim }: Shop, name: string): Vm | undefined => {
  const [title = ''] = name.split(',')
  const host = title.toLowerCase().replaceAll(' ', '-')
  // The newest: tests of one worker share the cluster.
  return [...sim.state.vms.values()].findLast(({ config }) => config.name?.startsWith(host))
}

export const cardOf = (page: Page, name: string): Locator => page.getByRole('article', { name })

/** The line to copy: once it is shown the server is the client's. */
export const wayIn = (card: Locator): Locator => card.getByText(/^ssh \w+@[\d.]+$/)

/** The time in a card's countdown, in milliseconds. */
export async function shownTimeLeft(card: Locator): Promise<number> {
  const text = await card.getByRole('timer').innerText()
  const [, days, hours, minutes, seconds] =
    /^(\d+)d (\d+):(\d+):(\d+)$/.exec(text)?.map(Number) ?? []
  return ((((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0)) * 1000
}

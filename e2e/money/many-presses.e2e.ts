import type { Page } from '@playwright/test'
import fc from 'fast-check'
import { admin, enter, type People } from '../acts/people.ts'
import { expect, test } from '../house/fixtures.ts'
import { fillPackage, slowDown, WAYS, watchPosts } from './presses.ts'

const PRESSES = process.env.FAULTS === '1' ? 1000 : 8
/** This many packages are created before they are counted and deleted: the page stays short. */
const ROUND = 25
/** For a press on a machine that is twenty times as slow. */
const SLOW = { timeout: 120_000 }

const seed = Math.floor(Math.random() * 2 ** 31)
const presses = fc.sample(
  fc.record({
    way: fc.constantFrom(...Object.keys(WAYS)),
    rate: fc.integer({ min: 1, max: 20 }),
  }),
  { numRuns: PRESSES, seed },
)

test(`${PRESSES} double presses at random speeds create as many packages`, async ({
  page,
  people,
}) => {
  test.setTimeout(60_000 + PRESSES * 15_000)
  test.info().annotations.push({ type: 'seed', description: String(seed) })
  await enter(page, admin)
  const keys = watchPosts(page, /^\/api\/packages$/)
  for (let first = 0; first < PRESSES; first += ROUND) {
    await page.goto('/packages')
    const round = presses.slice(first, first + ROUND)
    for (const [index, press] of round.entries()) await create(page, nameOf(first + index), press)
    const wanted = round.map((_, index) => nameOf(first + index))
    expect((await deletePackages(people)).toSorted()).toEqual(wanted.toSorted())
  }
  expect(new Set(keys).size).toBe(PRESSES)
})

const nameOf = (index: number) => `Pressed package ${index}`

async function create(page: Page, name: string, { way, rate }: { way: string; rate: number }) {
  await page.getByRole('button', { name: 'Add Package' }).click(SLOW)
  const dialog = page.getByRole('dialog', { name: 'Add Package' })
  await fillPackage(dialog, name)
  await slowDown(page, rate)
  await WAYS[way]?.(page, dialog.getByRole('button', { name: 'Create Package' }))
  await expect(dialog, `${way}, ${rate} times as slow`).toHaveCount(0, SLOW)
  await slowDown(page, 1)
}

/** Deletes the created packages and returns their names, one entry each. */
async function deletePackages(people: People): Promise<string[]> {
  const known = (await people.ask('/api/packages')) as { id: number; name: string }[]
  const made = known.filter(({ name }) => name.startsWith('Pressed package'))
  for (const { id } of made) await people.ask(`/api/packages/${id}`, 'DELETE')
  return made.map(({ name }) => name)
}

import type { Page } from '@playwright/test'
import { signIn } from '../../src/server/testing/server-process.ts'
import { expect } from '../house/fixtures.ts'
import { screenText } from './reading.ts'

export const PATIENT = { timeout: 20_000 }

type Machine = { id: number; nodeId: number; name: string; status: string }

/** The machine, once the demo cluster has been read. */
export async function machineOf(url: string, name: string): Promise<Machine> {
  const call = await signIn(url)
  let machine: Machine | undefined
  await expect
    .poll(async () => {
      const machines = (await (await call('/api/instances')).json()) as Machine[]
      machine = machines.find((one) => one.name === name)
      return machine?.status
    }, PATIENT)
    .toBe('running')
  if (!machine) throw new Error(`no machine ${name}`)
  return machine
}

export const shows = (page: Page, text: string | RegExp) =>
  expect.poll(() => screenText(page), PATIENT).toMatch(text)

export const isConnected = (page: Page) =>
  expect(page.getByRole('button', { name: 'Ctrl-Alt-Del' })).toBeEnabled(PATIENT)

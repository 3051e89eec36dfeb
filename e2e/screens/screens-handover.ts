import { expect, type Page } from '@playwright/test'
import { pressAndAsk, type Screen } from './answers/screen-acts.ts'
import { answers, DAY_MS, inMs, JOB, LONG_LABEL, PATH } from './answers/server-states.ts'

// A server that goes from one account to another, as its giver and its receiver see it.

const transfer = { expiresAt: inMs(DAY_MS) }
const CODE = { code: '7K2QD-M4XYA-9ZP0R-TTBC3-HJW5N-6', ...transfer }
const openDialog = pressAndAsk(/^Hand over /)

async function makeCode(page: Page): Promise<void> {
  await openDialog(page)
  await page.getByRole('button', { name: 'Make a code' }).click()
  await expect(page.getByText(CODE.code)).toBeVisible()
}

async function accept(page: Page): Promise<void> {
  await pressAndAsk('Accept a server')(page)
  await page.getByRole('textbox', { name: 'Code' }).fill(CODE.code)
}

export const HANDOVER_SCREENS: readonly Screen[] = [
  {
    role: 'client',
    name: 'server-hand-over',
    path: PATH,
    answers: answers({ transfer }),
    prepare: openDialog,
  },
  {
    role: 'client',
    name: 'server-hand-over-code',
    path: PATH,
    answers: { ...answers(), '**/api/instances/7/transfer': CODE },
    prepare: makeCode,
  },
  {
    role: 'client',
    name: 'server-code-open',
    path: PATH,
    answers: answers({ transfer }),
    prepare: (page) => expect(page.getByText('A code to hand this server over')).toBeVisible(),
  },
  {
    role: 'client',
    name: 'server-login-pending',
    path: PATH,
    answers: answers({
      isLoginPending: true,
      hasPassword: false,
      jobs: [
        { ...JOB, kind: 'handover', title: `Replace the login of ${LONG_LABEL}`, step: 'restart' },
      ],
    }),
    prepare: (page) => expect(page.getByText('The login is being replaced').first()).toBeVisible(),
  },
  { role: 'client', name: 'accept-server', path: '/my-instances', prepare: accept },
  {
    role: 'client',
    name: 'accept-server-done',
    path: '/create-instance',
    answers: { '**/api/client/transfers/*': { instanceId: 7, jobId: JOB.id } },
    async prepare(page) {
      await accept(page)
      await page.getByRole('button', { name: 'Accept', exact: true }).click()
      await expect(page.getByRole('link', { name: 'Open the server' })).toBeVisible()
    },
  },
]

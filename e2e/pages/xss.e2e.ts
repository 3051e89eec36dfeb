import {
  type ServerProcess,
  signIn,
  startProcess,
} from '../../src/server/testing/server-process.ts'
import { settled } from '../acts/looking.ts'
import { admin, enter, someDevice } from '../acts/people.ts'
import { test as base, endServer, expect } from '../house/fixtures.ts'
import type { Screen } from '../screens/answers/screen-acts.ts'
import { SCREENS } from '../screens/screens.ts'

/** A separate server: the stored texts would disturb every other test. */
const test = base.extend<object, { server: ServerProcess }>({
  server: [
    async ({}, use) => {
      const server = await startProcess()
      await use(server)
      await endServer(server)
    },
    { scope: 'worker', timeout: 60_000 },
  ],
})

/** Each would leave a mark on the page if it were ever more than text. */
const PAYLOADS = [
  '<img src=x onerror=window.hurt=1>',
  '<script>window.hurt=1</script>',
  '"><svg onload=window.hurt=1>',
  "'-window.hurt=1-'",
  '<a href="javascript:window.hurt=1">x</a>',
  '</title><script>window.hurt=1</script>',
  '<iframe srcdoc="<script>parent.hurt=1</script>">',
  '{{constructor.constructor("window.hurt=1")()}}',
  '<style>@import "//evil.example"</style>',
  '<base href="//evil.example/">',
]
const [SHOWN = ''] = PAYLOADS

type Call = Awaited<ReturnType<typeof signIn>>
type Row = { id: number; nodeId: number; username: string; name: string }

/** Stores a payload in every text that a user can store, each a different one. */
async function poison(call: Call, client: string): Promise<void> {
  let turn = 0
  const payload = (max = 100) => {
    turn += 1
    const fitting = PAYLOADS.filter(({ length }) => length <= max)
    return fitting[turn % fitting.length] ?? ''
  }
  const send = async (method: string, path: string, body: object) => {
    const reply = await call(path, { method, body: JSON.stringify(body) })
    expect(reply.status, `${path}: ${await reply.clone().text()}`).toBeLessThan(300)
    return (await reply.json()) as Row
  }
  const rows = async (path: string) => (await (await call(path)).json()) as Row[]

  for (const [n, firstName] of PAYLOADS.entries()) {
    await send('POST', '/api/admin/users', {
      firstName,
      lastName: payload(),
      email: `x${n}@example.test`,
      mobileNumber: '<b onclick=alert(1)>',
      password: 'long enough for it',
      agreedToTerms: true,
    })
    await send('POST', '/api/operating-systems', {
      name: `${n}${firstName}`,
      description: payload(),
    })
    await send('POST', '/api/packages', {
      name: firstName,
      description: payload(),
      cpu: payload(50),
      ram: payload(50),
      storage: payload(50),
      bandwidth: payload(50),
      traffic: payload(50),
      specialNote: payload(),
      price: 5,
      popular: true,
      active: true,
      osOptions: [payload()],
    })
  }
  const [cluster] = await rows('/api/clusters')
  await send('PUT', `/api/clusters/${cluster?.id}`, { name: payload() })
  const [template] = await rows('/api/templates')
  const owner = (await rows('/api/admin/users')).find(({ username }) => username === client)
  for (const [n, name] of PAYLOADS.slice(0, 4).entries()) {
    const { id: tokenId } = await send('POST', '/api/tokens', {
      name,
      tokenType: 'ip_mac',
      nodeId: template?.nodeId,
      templateId: template?.id,
      ipAddress: `203.0.113.${230 + n}`,
      username: payload(50),
      password: payload(),
      osType: payload(),
    })
    if (n % 2 === 0) continue
    await send('POST', '/api/instances', { tokenId, name: payload(), clientUserId: owner?.id })
  }
}

/** Texts that come from the address. */
const REFLECTED: Screen[] = [
  '/users?q=',
  '/login?next=',
  '/settings?tab=',
  '/pricing?plan=',
].flatMap((path) =>
  (['visitor', 'client', 'admin'] as const).map((role) => ({
    role,
    name: `${role} ${path}`,
    path: `${path}${encodeURIComponent(SHOWN)}`,
  })),
)

test('no stored text is ever more than text, on any screen', async ({
  page,
  people,
  server,
  faults,
}) => {
  test.setTimeout(300_000)
  page.setDefaultTimeout(20_000)
  const size = page.viewportSize() ?? { width: 1280, height: 720 }
  const client = await people.gather()
  const call = await signIn(server.url)
  await expect.poll(async () => (await (await call('/api/templates')).json()).length).toBeTruthy()
  await poison(call, client.username)
  page.on('dialog', (dialog) => {
    faults.push(`a dialog: ${dialog.message()}`)
    dialog.dismiss().catch((error: Error) => faults.push(`a dialog that stays: ${error.message}`))
  })
  await page.addInitScript(
    (device) => localStorage.setItem('deviceMacAddress', device),
    someDevice(),
  )

  // A bad connection shows less, not more; and the elements that open dialogs have other names
  // here.
  const reachable = SCREENS.filter(
    ({ role, trouble, isCrowded, prepare, answers }) =>
      !trouble && !isCrowded && !prepare && !answers && role !== 'customer',
  )
  for (const { role, name, path, prepare, isNarrow } of [...reachable, ...REFLECTED]) {
    await page.context().clearCookies()
    await page.setViewportSize(isNarrow ? { width: 360, height: 800 } : size)
    const credentials = { visitor: undefined, client, customer: client, admin }[role]
    if (credentials) await enter(page, credentials)
    await page.goto(path)
    await settled(page)
    if (name !== 'register-saved') await prepare?.(page)
    const hurt = await page.evaluate(() => ('hurt' in window ? location.href : undefined))
    expect(hurt, `${role} ${name}`).toBeUndefined()
    expect(faults, `${role} ${name}`).toEqual([])
  }

  // It was visible, as text.
  await page.context().clearCookies()
  await enter(page, admin)
  for (const path of ['/users', '/packages', '/tokens']) {
    await page.goto(path)
    await expect(page.getByText(SHOWN).filter({ visible: true }).first()).toBeVisible()
  }
})

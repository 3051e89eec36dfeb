import { randomBytes } from 'node:crypto'
import type { Page } from '@playwright/test'
import { ADMIN, signIn } from '../../src/server/testing/server-process.ts'
import { createCustomer } from './customer.ts'

/** Credentials to sign in with; `username` may be an e-mail address. */
export type Credentials = { username: string; password: string }
export type Person = Credentials & { id: number; name: string; email: string }
export type Anonymous = Credentials & { device: string }

type Names = { firstName?: string; lastName?: string; isActive?: boolean }
type UserRow = {
  id: number
  username: string
  email: string | null
  role: string
  hasDevice: boolean
}

export const admin: Credentials = { username: ADMIN.email, password: ADMIN.password }

/** The operator of the demo, as shown on every public page. */
export const OPERATOR = {
  OPERATOR_NAME: 'Nordlicht Hosting',
  OPERATOR_PLACE: 'Reykjavík, Iceland',
  OPERATOR_CONTACT: 'help@nordlicht-hosting.example',
}

export const someDevice = (): string => randomBytes(6).toString('hex').match(/../g)?.join(':') ?? ''

export type People = Awaited<ReturnType<typeof createPeople>>

/** Accounts created by the API, for tests that are not about creating them. */
export async function createPeople(url: string) {
  const asAdmin = await signIn(url)
  const { isDemo } = (await (await asAdmin('/api/settings')).json()) as { isDemo: boolean }
  // Every test starts with a stocked demo shop.
  if (isDemo) await untilStocked(asAdmin)
  let count = 0

  async function ask(path: string, method = 'GET', body?: unknown): Promise<unknown> {
    const reply = await asAdmin(path, {
      method,
      // The content type announces a body: a call without one still sends an empty object.
      ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  const list = async () => (await ask('/api/admin/users')) as UserRow[]

  async function create(role: 'admin' | 'client', names: Names): Promise<Person> {
    count += 1
    const { firstName = 'Robin', lastName = `Number${count}`, isActive = true } = names
    const email = `${firstName}.${lastName}.${count}@example.test`.toLowerCase()
    const password = `the password of ${email}`
    const { id, username } = (await ask('/api/admin/users', 'POST', {
      ...{ firstName, lastName, email, password, role, isActive },
      mobileNumber: '+43 1 5550100',
      agreedToTerms: true,
    })) as UserRow
    return { id, username, password, email, name: `${firstName} ${lastName}` }
  }

  /** As the registration page does. */
  async function anonymous(device = someDevice()): Promise<Anonymous> {
    const reply = await register(url, device)
    if (!reply.ok) throw new Error(`register: ${reply.status}`)
    const made = (await reply.json()) as { username: string; generatedPassword: string }
    return { username: made.username, password: made.generatedPassword, device }
  }

  async function makeCrowd() {
    const named = await create('client', CROWD.client)
    const inactive = await create('client', { ...CROWD.inactive, isActive: false })
    await create('admin', CROWD.admin)
    const client = await anonymous()
    return { client, usernames: new Set([named, inactive, client].map((one) => one.username)) }
  }
  let crowd: ReturnType<typeof makeCrowd> | undefined
  let customer: Promise<Credentials> | undefined

  return {
    list,
    anonymous,
    /** Calls the API as the administrator. */
    ask,
    client: (names: Names = {}) => create('client', names),
    admin: (names: Names = {}) => create('admin', names),

    async resetPassword(id: number): Promise<string> {
      const reply = await ask(`/api/admin/users/${id}/reset-password`, 'POST')
      return (reply as { newPassword: string }).newPassword
    },

    /** The browsers of all tests look alike: each test that registers starts as a new device. */
    async forgetDevices(): Promise<void> {
      for (const { id, hasDevice } of await list()) {
        if (hasDevice) await ask(`/api/admin/users/${id}/device`, 'DELETE')
      }
    },

    /** A client with servers, created when first requested. */
    customer(): Promise<Credentials> {
      customer ??= anonymous().then((person) => createCustomer(url, ask, person))
      return customer
    },

    /** A few accounts of every kind and no other clients. Returns one to sign in with. */
    async gather(): Promise<Credentials> {
      crowd ??= makeCrowd()
      const { client, usernames } = await crowd
      if (customer) usernames.add((await customer).username)
      for (const { id, username, role } of await list()) {
        const isExtra = role === 'client' && !usernames.has(username)
        if (isExtra) await ask(`/api/admin/users/${id}`, 'DELETE')
      }
      // Another test may have released the devices.
      const hasDevices = (await list()).some(({ hasDevice }) => hasDevice)
      if (!hasDevices) usernames.add((await anonymous()).username)
      return client
    },
  }
}

/** The demo's shop is stocked once its cluster has been read, a moment after the start. */
async function untilStocked(call: Awaited<ReturnType<typeof signIn>>): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const tokens = (await (await call('/api/tokens')).json()) as unknown[]
    if (tokens.length > 0) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error('the demo has nothing for sale')
}

/** The people in the lists of the screenshots, besides one without a name. */
export const CROWD = {
  client: { firstName: 'Ada', lastName: 'Byron' },
  inactive: { firstName: 'Emmy', lastName: 'Noether' },
  admin: { firstName: 'Grace', lastName: 'Murray' },
}

/** The call alone: the caller checks the answer. */
export const register = (url: string, device: string): Promise<Response> =>
  fetch(`${url}/api/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agreedToTerms: true, deviceMacAddress: device }),
  })

/** Signs in without the form: the browser gets the cookie, and the next page is signed in. */
export async function enter(page: Page, { username, password }: Credentials): Promise<void> {
  const reply = await page.request.post('/api/auth/login', { data: { username, password } })
  if (!reply.ok()) throw new Error(`sign-in failed: ${reply.status()}`)
}

/** The user the server recognises in this browser; undefined for a visitor. */
export async function whoIsIn(page: Page): Promise<{ username: string; role: string } | undefined> {
  const reply = await page.request.get('/api/auth/me')
  return reply.ok() ? ((await reply.json()) as { username: string; role: string }) : undefined
}

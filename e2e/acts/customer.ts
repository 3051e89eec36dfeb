import type { Credentials } from './people.ts'

type Ask = (path: string, method?: string, body?: unknown) => Promise<unknown>
type Named = { id: number; name: string; nodeId?: number }

/**
 * The servers of the customer in the screenshots: one with a long name, one about to end, a plain
 * one.
 */
const SERVERS = [
  {
    name: 'The-server-whose-name-somebody-made-as-long-as-it-may-be-and-then-a-little-longer, 4 GB RAM',
    days: 30,
    price: '19.00',
  },
  { name: 'Lighthouse, 1 CPU, 2 GB RAM, 40 GB SSD', days: 5, price: '6.00' },
  { name: 'Harbour, 2 CPU, 4 GB RAM, 80 GB SSD', days: 30, price: '12.00' },
]

/** Buys these servers as `person` and waits for them. */
export async function createCustomer<P extends Credentials>(
  url: string,
  ask: Ask,
  person: P,
): Promise<P> {
  const call = await signedIn(url, person)
  for (const [index, server] of SERVERS.entries()) {
    const { id } = await makeToken(ask, { ...server, address: `203.0.113.${80 + index}` })
    await call(`/api/marketplace/purchase/${id}`, 'POST')
  }
  await untilReady(call)
  return person
}

type Offer = { name: string; days: number; price: string; address: string }

/** Puts one more token on sale, by the administrator's API call. */
export async function makeToken(ask: Ask, { name, days, price, address }: Offer): Promise<Named> {
  const templates = (await ask('/api/templates')) as Named[]
  const template = templates.find((one) => one.name === 'debian-12')
  if (!template) throw new Error('the demo cluster has no debian-12')
  return (await ask('/api/tokens', 'POST', {
    name,
    tokenType: 'ip_mac',
    nodeId: template.nodeId,
    templateId: template.id,
    ipAddress: address,
    monthlyPrice: price,
    durationDays: days,
    username: 'debian',
    password: 'correct-horse-battery',
    osType: 'Debian 12',
  })) as Named
}

async function signedIn(url: string, { username, password }: Credentials) {
  const send = (path: string, method: string, body: unknown, cookie = '') =>
    fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', cookie },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
    })
  const login = await send('/api/auth/login', 'POST', { username, password })
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return async (path: string, method = 'GET'): Promise<unknown> => {
    const reply = await send(path, method, {}, cookie)
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
    return JSON.parse(text)
  }
}

const TIMEOUT_MS = 150_000

async function untilReady(call: (path: string) => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS
  for (;;) {
    const instances = (await call('/api/client/instances')) as { status: string }[]
    if (instances.filter(({ status }) => status === 'running').length === SERVERS.length) return
    if (Date.now() > deadline) throw new Error('the servers of the customer did not come')
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

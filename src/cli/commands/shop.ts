import { readFileSync } from 'node:fs'
import { api } from '#shared/api/index.ts'
import type { ClientOrderDetails } from '#shared/api/shop/billing.ts'
import type { ClientOrder } from '#shared/api/shop/orders.ts'
import { Failure, misuse } from '../terminal/failure.ts'
import { plain } from '../terminal/width.ts'
import { type Command, ONCE, showDone, showList, WHOLE_NUMBER, type World } from './command.ts'
import { readServer, showServer } from './one-server.ts'
import { showJob, until, waitBy } from './wait.ts'

/** What can be wished for beside the package; also for a reinstallation. */
export const LOGIN_FLAGS = {
  'ssh-key': {
    takes: 'id',
    isList: true,
    form: WHOLE_NUMBER,
    says: 'the id of one of your SSH keys; the server gets no password',
  },
  'user-data': { takes: 'file', says: 'a script or cloud-config for the first start' },
} as const

export function loginWishes({ given }: World) {
  const keys = given.numbers('ssh-key')
  const file = given.text('user-data')
  return {
    ...(keys.length > 0 && { sshKeyIds: [...keys] }),
    ...(file !== undefined && { userData: readText(file) }),
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw misuse(`${file} cannot be read.`)
  }
}

type Bought = { order: ClientOrder; checkoutUrl?: string | undefined }

async function buy(world: World): Promise<Bought> {
  const { given } = world
  const session = world.session()
  const [packageId, offer, trial] = ['package', 'offer', 'trial'].map((flag) => given.text(flag))
  const chosen = [packageId, offer, trial].filter((one) => one !== undefined)
  if (chosen.length !== 1) throw misuse('Choose one of --package, --offer and --trial.')
  const label = given.text('name')
  const hostname = given.text('hostname')
  const paymentMethod = given.text('pay')
  const coupon = given.text('coupon')
  const wishes = {
    ...loginWishes(world),
    ...(label !== undefined && { label }),
    ...(hostname !== undefined && { hostname }),
  }
  const paying = {
    ...(paymentMethod !== undefined && { paymentMethod }),
    ...(coupon !== undefined && { coupon }),
  }
  if (trial !== undefined) {
    if (paymentMethod !== undefined || coupon !== undefined) {
      throw misuse('A trial costs nothing: leave out --pay and --coupon.')
    }
    return session.call(api.marketplace.trial, { params: { tokenId: trial }, body: wishes })
  }
  const body = { ...wishes, ...paying }
  if (offer !== undefined) {
    return session.call(api.marketplace.purchase, { params: { tokenId: offer }, body })
  }
  const osType = given.text('os')
  if (osType === undefined || packageId === undefined) {
    throw misuse('Choose the system with --os. See: hushbox packages list')
  }
  return session.call(api.billing.order, { body: { ...body, packageId, osType } })
}

async function create(world: World): Promise<void> {
  const bought = await buy(world)
  const { order, checkoutUrl } = bought
  const page = checkoutUrl && new URL(checkoutUrl, world.session().url).href
  if (page) world.terminal.err(`To be paid: ${page}\n`)
  if (!world.given.has('wait')) {
    const price = `${order.amount} ${order.currency}`
    return showDone(world, bought, `Order ${order.id} is ${order.status} (${price}).`)
  }
  const { serverId } = await waitForOrder(world, order.id)
  if (serverId === null) {
    throw new Failure('notFound', `Order ${order.id} is done, but its server is gone.`)
  }
  showServer(world, await readServer(world, serverId))
}

const waitForOrder = (world: World, id: number): Promise<ClientOrderDetails> =>
  until(world, async (show) => {
    const session = world.session()
    const details = await session.call(api.billing.details, { params: { id } })
    const { order } = details
    if (order.status === 'active') return details
    if (hasEnded(details)) {
      throw new Failure('refused', plain(order.failure ?? `Order ${id} was cancelled.`))
    }
    if (order.failure) return show(plain(order.failure))
    if (order.status === 'pending') return show('Waiting for the payment')
    const jobs = await session.call(api.jobs.list)
    return showJob(
      show,
      jobs.find((job) => job.id === details.jobId),
    )
  })

/**
 * Cancelled, or its job has failed and left it paid. A failure is also noted on an order whose job
 * tries again, and on one that the operator delivers by hand: those go on.
 */
const hasEnded = ({ order: { status, failure }, jobId }: ClientOrderDetails): boolean =>
  status === 'cancelled' || (status === 'paid' && failure !== null && jobId !== null)

export const shopCommands: Command[] = [
  {
    name: 'packages list',
    says: 'What can be ordered, and with which systems',
    examples: ['hushbox packages list', 'hushbox packages list -o json'],
    calls: [api.packages.public],
    async run(world) {
      showList(world, await world.session().call(api.packages.public), {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        CPU: ({ cpu }) => cpu,
        MEMORY: ({ ram }) => ram,
        DISK: ({ storage }) => storage,
        PRICE: ({ price }) => price.toFixed(2),
        SYSTEMS: ({ osOptions }) => osOptions.join(', '),
        'SOLD OUT': ({ soldOut }) => soldOut,
      })
    },
  },
  {
    name: 'offers list',
    says: 'Single servers that can be bought or tried now',
    examples: ['hushbox offers list'],
    calls: [api.marketplace.tokens],
    async run(world) {
      showList(world, await world.session().call(api.marketplace.tokens), {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        SYSTEM: ({ osType }) => osType,
        DAYS: ({ durationDays }) => durationDays,
        PRICE: ({ monthlyPrice }) => monthlyPrice,
        STATE: ({ status }) => status,
      })
    },
  },
  {
    name: 'servers create',
    says: 'Order a package, buy an offer or take a trial',
    flags: {
      package: { takes: 'id', says: 'of hushbox packages list; needs --os' },
      os: { takes: 'system', says: 'one that the package has' },
      offer: { takes: 'id', says: 'of hushbox offers list' },
      trial: { takes: 'id', says: 'an offer, to be tried for free' },
      name: { takes: 'text', says: 'what you call it' },
      hostname: { takes: 'name', says: 'what it calls itself' },
      ...LOGIN_FLAGS,
      pay: { takes: 'method', says: 'a way to pay; credit pays from your credit alone' },
      coupon: { takes: 'code', says: 'takes something off the price' },
      ...waitBy(api.billing.details, api.jobs.list, api.servers.get),
      ...ONCE,
    },
    examples: [
      'hushbox servers create --package starter --os "Debian 12" --name web --wait',
      'hushbox servers create --offer 7 --ssh-key 1 --pay credit --wait -o json',
    ],
    calls: [api.billing.order, api.marketplace.purchase, api.marketplace.trial],
    run: create,
  },
  {
    name: 'jobs list',
    says: 'Work under way, and what failed lately',
    examples: ['hushbox jobs list'],
    calls: [api.jobs.list],
    async run(world) {
      showList(world, await world.session().call(api.jobs.list), {
        TITLE: ({ title }) => title,
        STATE: ({ state }) => state,
        DONE: ({ progress }) => `${Math.round(progress * 100)} %`,
        STEP: ({ step }) => step,
        ERROR: ({ error }) => error,
      })
    },
  },
]

import { eq } from 'drizzle-orm'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { nodes } from '../../db/schema/infrastructure.ts'
import { orders, payments } from '../../db/schema/sales.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import type { Clock } from '../../lib/clock.ts'
import { type SimApp, testApp } from '../../testing/test-app.ts'
import type { DatabaseKind } from '../../testing/test-db.ts'
import type { Report } from './stand-in-server.ts'

/** The configuration that an installation with real payments requires. */
export const REAL_MONEY = {
  PUBLIC_URL: 'https://vps.example',
  EMBEDDED_DB_IS_FINE: '1',
  RATE_LIMIT_SCALE: '9999',
}

type Provider = { env: { PAYMENT_PROVIDER: string } & Record<string, string> }
type Options = { database?: DatabaseKind; clock: Clock; withJobs?: boolean | 'queued' }

let lastVm = 600_000

/**
 * The whole application with a stand-in as payment provider, and helpers to inspect the results.
 */
export async function openTill(stand: Provider, options: Options) {
  const t = await testApp({ ...options, sim: true, env: { ...stand.env, ...REAL_MONEY } })
  const { clock } = options
  const name = stand.env.PAYMENT_PROVIDER

  const [node] = await t.db.select().from(nodes).where(eq(nodes.name, 'pve1'))

  const one = async <T>(rows: Promise<T[]>): Promise<T> => {
    const [row] = await rows
    if (row === undefined) throw new Error('no such row')
    return row
  }

  return {
    t,
    /** A client whose server expires soon. */
    async tenant() {
      const client = await t.make.client()
      const token = await t.make.token({
        status: 'assigned',
        assignedUserId: client.id,
        assignedInstanceId: await newVm(t),
        assignedAt: clock.now(),
        expiresAt: new Date(clock.now().getTime() + DAY_MS),
        monthlyPriceCents: 500,
      })
      return { client, token }
    },
    /** A server on sale whose VM already exists. */
    async stock() {
      const instanceId = await newVm(t)
      const token = await t.make.token({
        tokenType: 'ready',
        status: 'ready',
        nodeId: node?.id ?? 0,
        instanceId,
        monthlyPriceCents: 500,
      })
      await t.db.update(instances).set({ tokenId: token.id }).where(eq(instances.id, instanceId))
      return token
    },
    /** An order for a renewal, with its checkout open at the provider. */
    async renewal() {
      const { client, token } = await this.tenant()
      const { order } = await t.as(client).call(api.client.renew, { params: { id: token.id } })
      return { client, token, order, payment: await this.paymentOf(order.id) }
    },
    order: (id: number) => one(t.db.select().from(orders).where(eq(orders.id, id))),
    token: (id: number) => one(t.db.select().from(tokens).where(eq(tokens.id, id))),
    payments: (orderId: number) =>
      t.db.select().from(payments).where(eq(payments.orderId, orderId)).orderBy(payments.id),
    paymentOf: (orderId: number) =>
      one(t.db.select().from(payments).where(eq(payments.orderId, orderId))),
    /** Delivers a report to our webhook route. */
    async deliver({ payload, headers }: Report, to = name) {
      const reply = await t.app.inject({
        method: 'POST',
        url: `/api/webhooks/${to}`,
        headers: { 'content-type': 'application/json', ...headers },
        payload,
      })
      return { status: reply.statusCode, body: reply.json() as Record<string, unknown> }
    },
  }
}

export type Till = Awaited<ReturnType<typeof openTill>>

async function newVm({ db, cluster }: SimApp): Promise<number> {
  lastVm += 1
  const [row] = await db
    .insert(instances)
    .values({ clusterId: cluster.id, vmId: lastVm, name: 'vm', status: 'running' })
    .returning()
  if (!row) throw new Error('no VM was stored')
  return row.id
}

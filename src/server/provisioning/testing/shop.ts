import { eq } from 'drizzle-orm'
import { expect, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { nodes, templates } from '../../db/schema/infrastructure.ts'
import { orders } from '../../db/schema/sales.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { jobs } from '../../db/schema/work.ts'
import type { SimApp } from '../../testing/test-app.ts'

let lastAddress = 29

/**
 * A cluster with tokens on sale for tests of sales, and helpers to inspect every row they touch.
 */
export async function openShop(t: SimApp) {
  const [node] = await t.db.select().from(nodes).where(eq(nodes.name, 'pve1'))
  const [template] = await t.db.select().from(templates).where(eq(templates.templateId, 9004))
  if (!node || !template) throw new Error('the sync has not read the simulator')
  const boss = await t.make.admin()

  const form = (values: Record<string, unknown> = {}) => {
    lastAddress = lastAddress >= 250 ? 30 : lastAddress + 1
    return {
      name: 'Shop 2 CPU 2 GB RAM 20 GB SSD',
      tokenType: 'ip_mac' as const,
      nodeId: node.id,
      templateId: template.id,
      ipAddress: `203.0.113.${lastAddress}`,
      monthlyPrice: '5.00',
      durationDays: 30,
      username: 'root',
      password: 'first-password',
      osType: 'Debian 12',
      ...values,
    }
  }

  const one = async <T>(rows: Promise<T[]>): Promise<T> => {
    const [row] = await rows
    if (row === undefined) throw new Error('no such row')
    return row
  }

  return {
    /** A new session each time, because tests move the clock by years. */
    get admin() {
      return t.as(boss)
    },
    node,
    template,
    form,
    /** A token on sale, created through the admin's route. */
    token: (values: Record<string, unknown> = {}) =>
      t.as(boss).call(api.tokens.create, { body: form(values) }),
    /** A running VM of the cluster without an owner. */
    vm: (vmId: number) => one(t.db.select().from(instances).where(eq(instances.vmId, vmId))),
    tokenRow: (id: number) => one(t.db.select().from(tokens).where(eq(tokens.id, id))),
    orderRow: (id: number) => one(t.db.select().from(orders).where(eq(orders.id, id))),
    jobRow: (id: string) => one(t.db.select().from(jobs).where(eq(jobs.id, id))),
    instancesOf: (tokenId: number) =>
      t.db.select().from(instances).where(eq(instances.tokenId, tokenId)),
    /** VMs of the simulator that carry our marker. */
    made: () =>
      [...t.sim.state.vms.values()].filter((vm) => vm.config.description?.includes('hushbox:')),
    /** Waits until the job has ended, and returns its state. */
    async ended(jobId: string | undefined, timeout = 30_000) {
      return await vi.waitFor(
        async () => {
          const row = await one(
            t.db
              .select()
              .from(jobs)
              .where(eq(jobs.id, jobId ?? '')),
          )
          expect(['done', 'failed']).toContain(row.state)
          return row
        },
        { timeout, interval: 50 },
      )
    },
  }
}

export type Shop = Awaited<ReturnType<typeof openShop>>

import { and, asc, eq } from 'drizzle-orm'
import { WebSocket } from 'ws'
import { api } from '#shared/api/index.ts'
import { nodes } from '../../../db/schema/infrastructure.ts'
import { instances } from '../../../db/schema/stock.ts'
import type { Person, SimApp } from '../../../testing/test-app.ts'
import { viewer } from './viewer.ts'

type Machine = { id: number; vmId: number }
export type Owner = {
  client: Person
  who: ReturnType<SimApp['as']>
  cookie: string
  instance: Machine
}

/** A listening application, and clients who own running VMs of the demo cluster. */
export async function consoleWorld(t: SimApp) {
  const url = await t.app.listen({ port: 0, host: '127.0.0.1' })
  const socketUrl = `${url.replace('http', 'ws')}${api.consoles.screen.path}`
  let given = 0

  /** A signed-in client that owns a running VM, a new one on each call. */
  async function owner(node?: string): Promise<Owner> {
    const listed = await t.db
      .select({ id: instances.id, vmId: instances.vmId })
      .from(instances)
      .innerJoin(nodes, eq(nodes.id, instances.nodeId))
      .where(and(eq(instances.status, 'running'), node ? eq(nodes.name, node) : undefined))
      .orderBy(asc(instances.id))
    const isOn = ({ vmId }: Machine) => t.sim.state.vms.get(vmId)?.qmp === 'running'
    const running = listed.filter(isOn)
    const instance = running[given++ % running.length]
    if (!instance) throw new Error('the demo has no running VM')
    const client = await t.make.client()
    await t.db.update(instances).set({ ownerId: client.id }).where(eq(instances.id, instance.id))
    const who = t.as(client)
    return { client, who, cookie: (await who.cookie) ?? '', instance }
  }

  const open = (cookie: string, headers = {}) =>
    new WebSocket(socketUrl, { headers: { cookie: `hushbox=${cookie}`, ...headers } })

  async function openWith(cookie: string, ticket: string) {
    const socket = open(cookie)
    socket.once('open', () => socket.send(ticket))
    return await viewer(socket)
  }

  const ticketOf = async ({ who, instance }: Pick<Owner, 'who' | 'instance'>) =>
    (await who.call(api.consoles.ticket, { params: { id: instance.id } })).ticket

  return {
    owner,
    open,
    openWith,
    ticketOf,
    look: async (one: Owner) => await openWith(one.cookie, await ticketOf(one)),
  }
}

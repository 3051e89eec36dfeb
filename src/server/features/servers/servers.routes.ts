import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import { readWithSession } from '../../http/with-session.ts'
import type { serversService } from './servers.service.ts'

export function serversRoutes(
  app: FastifyInstance,
  servers: ReturnType<typeof serversService>,
): void {
  implement(app, api.servers, {
    get: readWithSession(servers.read, ({ actor }, row) => servers.show(actor, row)),
    change: ({ actor, params, body }) => servers.change(actor, params.id, body),
    activity: ({ actor, params, query }) => servers.activity(actor, params.id, query),
    hostKeys: async ({ actor, params }) => (await servers.get(actor, params.id)).hostKeys,
    reinstallPreview: ({ actor, params }) => servers.reinstallPreview(actor, params.id),
    reinstall: ({ actor, params, body }) => servers.reinstall(actor, params.id, body),
    password: ({ actor, params }) => servers.newPassword(actor, params.id),
    offer: ({ actor, params }) => servers.offer(actor, params.id),
    withdrawOffer: async ({ actor, params }) => {
      await servers.withdrawOffer(actor, params.id)
      return undefined
    },
    proxmoxConfig: ({ actor, params }) => servers.proxmoxConfig(actor, params.id),
  })

  implement(app, api.firewall, {
    get: ({ actor, params }) => servers.firewall.get(actor, params.id),
    set: ({ actor, params, body }) => servers.firewall.set(actor, params.id, body),
    confirm: ({ actor, params }) => servers.firewall.confirm(actor, params.id),
  })

  implement(app, api.backups, {
    list: ({ actor, params }) => servers.backups.list(actor, params.id),
    make: ({ actor, params, body }) => servers.backups.make(actor, params.id, body),
    restore: ({ actor, params, body }) => servers.backups.restore(actor, params, body),
    protect: ({ actor, params, body }) => servers.backups.protect(actor, params, body),
    remove: ({ actor, params }) => servers.backups.remove(actor, params),
    schedule: ({ actor, params }) => servers.backups.schedule(actor, params.id),
    setSchedule: ({ actor, params, body }) => servers.backups.setSchedule(actor, params.id, body),
  })

  implement(app, api.snapshots, {
    list: ({ actor, params }) => servers.snapshots.list(actor, params.id),
    take: ({ actor, params, body }) => servers.snapshots.take(actor, params.id, body),
    rollBack: ({ actor, params, body }) => servers.snapshots.rollBack(actor, params, body),
    remove: ({ actor, params }) => servers.snapshots.remove(actor, params),
  })

  implement(app, api.cds, {
    get: ({ actor, params }) => servers.cds.get(actor, params.id),
    insert: ({ actor, params, body }) => servers.cds.insert(actor, params.id, body),
    takeOut: ({ actor, params }) => servers.cds.takeOut(actor, params.id),
    rescue: ({ actor, params }) => servers.cds.rescue(actor, params.id),
    endRescue: ({ actor, params }) => servers.cds.endRescue(actor, params.id),
  })
}

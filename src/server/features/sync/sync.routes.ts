import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { syncService } from './sync.service.ts'

export function syncRoutes(app: FastifyInstance, sync: ReturnType<typeof syncService>): void {
  implement(app, api.sync, {
    proxmox: ({ actor }) => sync.proxmox(actor),
    instances: ({ actor }) => sync.instances(actor),
  })
}

import { Message } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

export const sync = {
  proxmox: route({
    method: 'POST',
    path: '/api/sync/proxmox',
    access: 'admin',
    summary: 'Read nodes, templates and instances of every cluster again',
    response: Message,
  }),
  instances: route({
    method: 'POST',
    path: '/api/sync/instances',
    access: 'admin',
    summary: 'Read the instances of every cluster again',
    response: Message,
  }),
}

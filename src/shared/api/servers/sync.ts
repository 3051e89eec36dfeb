import { Message } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

export const sync = {
  proxmox: route({
    method: 'POST',
    path: '/api/sync/proxmox',
    access: 'admin',
    staff: 'run',
    summary: 'Read nodes, templates and instances of every cluster again',
    response: Message,
  }),
  instances: route({
    method: 'POST',
    path: '/api/sync/instances',
    access: 'admin',
    staff: 'run',
    summary: 'Read the instances of every cluster again',
    response: Message,
  }),
}

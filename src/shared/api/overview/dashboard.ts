import { z } from 'zod'
import { Id, nothing, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { ClientSummary } from '../people/users.ts'
import { Instance } from '../servers/instances.ts'
import { TokenFacts } from '../shop/tokens.ts'
import { JobState } from './events.ts'

const ActiveToken = TokenFacts.extend({
  proxmoxVmId: z.number().int().nullable(),
  instance: Instance.omit({ token: true }).nullable(),
})

/** A client with its active tokens. */
export const ActiveClient = ClientSummary.extend({ activeTokens: z.array(ActiveToken) })
export type ActiveClient = z.output<typeof ActiveClient>

/**
 * Something that needs an operator: what it is, how many there are, and the address that lists
 * them.
 */
export const Attention = z.object({
  /** The check that found it; the page has an icon for each kind it knows. */
  kind: z.string(),
  tone: z.enum(['bad', 'warn']),
  count: z.number().int(),
  message: z.string(),
  path: z.string(),
})
export type Attention = z.output<typeof Attention>

/** A server that is about to be deleted. */
export const Removal = z.object({
  tokenId: Id,
  name: z.string(),
  client: z.string().nullable(),
  cluster: z.string().nullable(),
  vmId: z.number().int().nullable(),
  endedAt: Timestamp,
})
export type Removal = z.output<typeof Removal>

export const dashboard = {
  clients: route({
    method: 'GET',
    path: '/api/admin/clients',
    access: 'admin',
    staff: 'look',
    summary: 'Clients with active tokens, each with its instances',
    response: z.array(ActiveClient),
  }),
  attention: route({
    method: 'GET',
    path: '/api/admin/attention',
    access: 'admin',
    staff: 'look',
    summary: 'What needs attention',
    response: z.array(Attention),
  }),
  removals: route({
    method: 'GET',
    path: '/api/admin/removals',
    access: 'admin',
    staff: 'look',
    summary: 'Servers whose grace is over and that wait for a word before they are deleted',
    response: z.array(Removal),
  }),
  confirmRemovals: route({
    method: 'POST',
    path: '/api/admin/removals/confirm',
    access: 'admin',
    staff: 'run',
    summary: 'Delete these servers',
    body: z.object({ tokenIds: z.array(Id).min(1).max(10_000) }),
    response: nothing,
    status: 204,
  }),
  confirmTime: route({
    method: 'POST',
    path: '/api/admin/time/confirm',
    access: 'admin',
    staff: 'run',
    summary: 'The database’s clock is right, though it jumped',
    response: nothing,
    status: 204,
  }),
}

export const Job = z.object({
  id: z.string(),
  kind: z.string(),
  title: z.string(),
  state: JobState,
  step: z.string().nullable(),
  progress: z.number(),
  error: z.string().nullable(),
  ownerId: Id.nullable(),
  /** Its undo fails repeatedly: an operator can give up what blocks it. */
  isStuck: z.boolean(),
  /** When the job started, or was last restarted. */
  startedAt: Timestamp,
})
export type Job = z.output<typeof Job>

const jobParams = z.object({ id: z.uuid() })

export const jobs = {
  list: route({
    method: 'GET',
    path: '/api/jobs',
    access: 'signed-in',
    staff: 'look',
    scope: 'servers:read',
    summary: 'Work under way and lately failed; a client sees its own',
    response: z.array(Job),
  }),
  retry: route({
    method: 'POST',
    path: '/api/jobs/:id/retry',
    access: 'admin',
    staff: 'run',
    summary: 'Run a failed job again',
    params: jobParams,
    response: Job,
  }),
  giveUp: route({
    method: 'POST',
    path: '/api/jobs/:id/give-up',
    access: 'admin',
    staff: 'run',
    summary: 'Stop undoing a job that cannot be undone: what is left is cleaned up by hand',
    params: jobParams,
    response: Job,
  }),
}

import { z } from 'zod'
import { chosenId, Flag, Id, idParams, nothing, required, Timestamp } from '../parts/fields.ts'
import { MetricsPoint, metricsQuery } from '../parts/metrics.ts'
import { route } from '../parts/route.ts'
import { Login } from '../shop/tokens.ts'

/**
 * Running, stopped, paused, suspended, … or `unknown` or `missing` when the cluster cannot tell.
 */
const InstanceStatus = z.string()

const TokenOfInstance = z.object({
  createdAt: Timestamp,
  durationDays: z.number().int(),
  clientIpAddress: z.string().nullable(),
  domain: z.string().nullable(),
  username: z.string(),
})

const NodeOfInstance = z.object({ name: z.string() })

export const Instance = z.object({
  id: Id,
  name: z.string(),
  /** What its client calls it; the name where it has no label. */
  label: z.string(),
  vmId: z.number().int(),
  clusterId: Id,
  nodeId: Id.nullable(),
  templateId: Id.nullable(),
  tokenId: Id.nullable(),
  ownerId: Id.nullable(),
  /** The client's name; null where the instance has no client. */
  clientName: z.string().nullable(),
  status: InstanceStatus,
  uptime: z.number().int(),
  ipAddress: z.string().nullable(),
  cpuUsage: z.number().nullable(),
  memoryUsed: z.number().nullable(),
  monthlyPrice: z.string().nullable(),
  createdAt: Timestamp,
  lastUpdated: Timestamp.nullable(),
  /** Switched off and kept by an operator or after a lost dispute; the client sees the reason. */
  suspended: z.object({ reason: z.string(), since: Timestamp }).nullable(),
  /** The client's time with it has ended; the stopped VM is kept for the grace period. */
  isKept: z.boolean(),
  token: TokenOfInstance.nullable(),
  node: NodeOfInstance.nullable(),
})
export type Instance = z.output<typeof Instance>

/** An instance as its owner sees it: with the credentials, without the operator's fields. */
export const ClientInstance = Instance.omit({
  ownerId: true,
  clientName: true,
  clusterId: true,
}).extend({
  token: TokenOfInstance.extend({ password: z.string() }).nullable(),
})
export type ClientInstance = z.output<typeof ClientInstance>

export const InstanceCreate = z.object({
  tokenId: chosenId('Please select a token'),
  name: required('Instance name is required', 100),
  clientUserId: chosenId('Please select or create a client'),
})

export const InstanceEnd = z.object({
  /** Where the money for unused time goes; an owner gives it up. */
  refund: z.enum(['none', 'credit', 'provider']).default('none'),
  /** The server's label, name or VM id, typed to confirm. */
  confirm: z.string().trim().min(1, 'Type the label or the VM id to confirm.').max(255),
})

/** What ending a server would mean. */
export const EndPreview = z.object({
  name: z.string(),
  vmId: z.number().int(),
  /** For operators only. */
  cluster: z.string().nullable(),
  clientName: z.string().nullable(),
  paidUntil: Timestamp.nullable(),
  /**
   * Until when the stopped VM is kept; null for a server that is still being created and is removed
   * at once.
   */
  keptUntil: Timestamp.nullable(),
  isComing: z.boolean(),
  refundable: z.object({ amount: z.string(), byProvider: z.boolean() }),
  /** The text that must be typed. */
  confirm: z.string(),
})
export type EndPreview = z.output<typeof EndPreview>

const InstanceSuspend = z.object({
  reason: required('Please give a reason; the client reads it.', 300),
})

export const Started = z.object({ jobId: z.string() })

/** The fields of the configuration screen; flags are 1 and 0. */
export const VmConfig = z.object({
  memory: z.number().int().min(512, 'Memory must be at least 512 MB').max(4_194_304),
  cores: z.number().int().min(1, 'Cores must be 1 to 32').max(32, 'Cores must be 1 to 32'),
  sockets: z.number().int().min(1, 'Sockets must be 1 to 4').max(4, 'Sockets must be 1 to 4'),
  bios: z.string().regex(/^[\w-]{1,20}$/),
  machine: z.string().regex(/^[\w.+=,-]{1,80}$/),
  bootdisk: z.string().regex(/^(ide|sata|scsi|virtio)\d{1,2}$/),
  onboot: Flag,
  protection: Flag,
  agent: Flag,
  balloon: z.number().int().min(0, 'Balloon must be 0 or more').max(4_194_304),
  cpu: z.string().regex(/^[\w.+=;:,-]{1,200}$/),
  numa: Flag,
  ostype: z.string().regex(/^[\w.]{1,20}$/),
})

/** The cluster's values may lie outside what the form allows; they are shown unchanged. */
const VmConfigReply = z.object({
  memory: z.number(),
  cores: z.number(),
  sockets: z.number(),
  bios: z.string(),
  machine: z.string(),
  bootdisk: z.string(),
  onboot: Flag,
  protection: Flag,
  agent: Flag,
  balloon: z.number(),
  cpu: z.string(),
  numa: Flag,
  ostype: z.string(),
  digest: z.string().optional(),
  pending: z.array(z.string()).optional(),
})

export const VmConfigUpdate = VmConfig.partial().extend({
  digest: z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .optional(),
})

const Power = z.object({ status: InstanceStatus, message: z.string() })

const power = (act: 'start' | 'stop' | 'shutdown' | 'restart', summary: string) =>
  route({
    method: 'POST',
    path: `/api/instances/:id/${act}`,
    access: 'signed-in',
    staff: 'help',
    scope: 'servers:power',
    summary,
    params: idParams,
    response: Power,
  })

export const instances = {
  list: route({
    method: 'GET',
    path: '/api/instances',
    access: 'admin',
    staff: 'look',
    summary: 'All instances, or those of one node',
    query: z.object({
      nodeId: z.coerce.number<number>().int().positive().max(2_147_483_647).optional(),
    }),
    response: z.array(Instance),
  }),
  create: route({
    method: 'POST',
    path: '/api/instances',
    idempotent: true,
    access: 'admin',
    staff: 'run',
    summary: 'Turn a token into an instance for a client',
    body: InstanceCreate,
    response: Instance,
    status: 201,
  }),
  status: route({
    method: 'GET',
    path: '/api/instances/:id/status',
    access: 'signed-in',
    staff: 'look',
    scope: 'servers:read',
    summary: 'The state of one instance',
    params: idParams,
    response: z.object({
      name: z.string(),
      status: InstanceStatus,
      /** Why the last power action failed. */
      failure: z.string().nullable(),
    }),
  }),
  start: route({ ...power('start', 'Switch on'), isHarmless: true }),
  stop: power('stop', 'Switch off at once, like pulling the plug'),
  shutdown: power('shutdown', 'Ask the operating system to shut down'),
  restart: power('restart', 'Ask the operating system to restart'),
  config: route({
    method: 'GET',
    path: '/api/instances/:id/config',
    access: 'admin',
    staff: 'run',
    summary: 'The configuration of the VM',
    params: idParams,
    response: VmConfigReply,
  }),
  setConfig: route({
    method: 'PUT',
    path: '/api/instances/:id/config',
    access: 'admin',
    staff: 'run',
    summary: 'Change the configuration of the VM',
    params: idParams,
    body: VmConfigUpdate,
    response: VmConfigReply,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/instances/:id',
    access: 'admin',
    staff: 'run',
    summary:
      'Destroy the VM in its cluster and forget the instance; a vanished one is only forgotten',
    params: idParams,
    response: nothing,
    status: 204,
  }),
  preview: route({
    method: 'GET',
    path: '/api/instances/:id/end',
    access: 'in-person',
    staff: 'run',
    scope: 'servers:read',
    summary: 'What ending a server would mean: whose it is, until when it is paid, what goes back',
    params: idParams,
    response: EndPreview,
  }),
  end: route({
    method: 'POST',
    path: '/api/instances/:id/end',
    idempotent: true,
    needsProof: true,
    access: 'in-person',
    staff: 'run',
    scope: 'servers:rebuild',
    summary: 'End a server: it stops now, is kept for the grace period and then deleted',
    params: idParams,
    body: InstanceEnd,
    response: Started,
    status: 202,
  }),
  suspend: route({
    method: 'POST',
    path: '/api/instances/:id/suspend',
    idempotent: true,
    access: 'admin',
    staff: 'run',
    summary: 'Switch a client’s server off and keep it off; its client reads the reason',
    params: idParams,
    body: InstanceSuspend,
    response: Started,
    status: 202,
  }),
  resume: route({
    method: 'POST',
    path: '/api/instances/:id/resume',
    idempotent: true,
    access: 'admin',
    staff: 'run',
    summary: 'Lift the suspension of a server and switch it on',
    params: idParams,
    response: Started,
    status: 202,
  }),
  reveal: route({
    method: 'POST',
    path: '/api/instances/:id/reveal',
    needsProof: true,
    access: 'in-person',
    staff: 'run',
    summary: 'The login of a server, for its owner or an operator; every look is recorded',
    params: idParams,
    response: Login,
  }),
  metrics: route({
    method: 'GET',
    path: '/api/instances/:id/metrics',
    access: 'signed-in',
    staff: 'look',
    scope: 'servers:read',
    summary: 'CPU, memory, network and disk of an instance over time',
    params: idParams,
    query: metricsQuery,
    response: z.array(MetricsPoint),
  }),
}

import { z } from 'zod'
import { Id, idParams, nothing, required, Timestamp } from './fields.ts'
import { route } from './route.ts'

/** The password is not here: it never leaves the server again. */
export const Cluster = z.object({
  id: Id,
  name: z.string(),
  host: z.string(),
  port: z.number().int(),
  username: z.string(),
  isDefault: z.boolean(),
  status: z.enum(['connected', 'disconnected']),
  tlsFingerprint: z.string().nullable(),
  createdAt: Timestamp,
})
export type Cluster = z.output<typeof Cluster>

const PORT = 'Port must be a number from 1 to 65535'

export const ClusterCreate = z.object({
  name: required('Cluster name is required', 100),
  host: required('Host is required', 253).regex(
    /^[A-Za-z0-9.:_-]+$/,
    'Host must be a name or an address, without https:// and without a path',
  ),
  port: z.number({ error: PORT }).int(PORT).min(1, PORT).max(65_535, PORT).default(8006),
  /** `user@realm`, or `user@realm!id` for an API token. */
  username: required('Username is required', 100),
  password: z.string({ error: 'Password is required' }).min(1, 'Password is required').max(512),
  isDefault: z.boolean().default(false),
  /** The certificate the admin has seen and trusts. */
  tlsFingerprint: z
    .string()
    .regex(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/, 'Fingerprint must be 32 hex pairs, as shown')
    .optional(),
})

export const clusters = {
  list: route({
    method: 'GET',
    path: '/api/clusters',
    access: 'admin',
    summary: 'The connected clusters',
    response: z.array(Cluster),
  }),
  create: route({
    method: 'POST',
    path: '/api/clusters',
    access: 'admin',
    summary: 'Connect a cluster and read what is in it',
    body: ClusterCreate,
    response: Cluster,
    status: 201,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/clusters/:id',
    access: 'admin',
    summary: 'Disconnect a cluster nothing depends on',
    params: idParams,
    response: nothing,
    status: 204,
  }),
}

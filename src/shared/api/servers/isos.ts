import { z } from 'zod'
import { CD_KINDS, MOST_ISO_GIB, OWN_ISO_DAYS } from '../../rules/instance/cds.ts'
import { Id, idParams, nothing, required, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { Started } from './instances.ts'

/** An image on offer: its client needs no more than its name. */
const Iso = z.object({
  id: Id,
  name: z.string(),
  clusterId: Id,
  isRescue: z.boolean(),
  /** As the cluster calls it; for operators only. */
  volume: z.string().nullable(),
})
export type Iso = z.output<typeof Iso>

/** An image in a cluster, on offer or not. */
const IsoVolume = z.object({
  volume: z.string(),
  size: z.number().nullable(),
  /** The nodes that have it; null if all of them reach it. */
  nodes: z.array(z.string()).nullable(),
  iso: Iso.nullable(),
})
export type IsoVolume = z.output<typeof IsoVolume>

const Fields = z.object({
  name: required('Enter a name for the image', 60),
  isRescue: z.boolean(),
})

export const IsoCreate = Fields.extend({
  clusterId: Id,
  volume: z
    .string()
    .max(300)
    .regex(/^[\w.-]+:iso\/[\w.+ -]+$/, 'Choose an image of the cluster'),
  isRescue: z.boolean().default(false),
})
export const IsoUpdate = Fields.partial()

const CHOOSE = 'Choose an image, or enter the address of one with its SHA-256.'

/** One of the list, or one's own. */
export const CdInsert = z
  .object({
    isoId: Id.optional(),
    url: z.string().trim().max(2000, 'The address is too long').optional(),
    sha256: z
      .string()
      .trim()
      .toLowerCase()
      .regex(/^[0-9a-f]{64}$/, 'A SHA-256 has 64 characters, 0 to 9 and a to f')
      .optional(),
  })
  .refine(
    ({ isoId, url, sha256 }) =>
      isoId === undefined ? url !== undefined && sha256 !== undefined : url === undefined,
    CHOOSE,
  )

/** What can be put into the drive of one server, and what is in it. */
const Cds = z.object({
  cd: z
    .object({
      kind: z.enum(CD_KINDS),
      name: z.string(),
      putInAt: Timestamp,
      /** Null until the server has started from it. */
      bootedAt: Timestamp.nullable(),
    })
    .nullable(),
  isos: z.array(Iso.pick({ id: true, name: true })),
  /** What a rescue starts; null where the operator has chosen none. */
  rescue: z.string().nullable(),
  /** Why no image of one's own can be used; null where it can. */
  ownRefusal: z.string().nullable(),
  /** The last one, as long as its file is kept. */
  own: z.object({ url: z.string(), sha256: z.string(), expiresAt: Timestamp }).nullable(),
})
export type Cds = z.output<typeof Cds>

export const isos = {
  list: route({
    method: 'GET',
    path: '/api/isos',
    access: 'signed-in',
    staff: 'look',
    scope: 'servers:read',
    summary: 'The ISO images on offer; a client sees those of the clusters its servers are on',
    response: z.array(Iso),
  }),
  volumes: route({
    method: 'GET',
    path: '/api/clusters/:id/isos',
    access: 'admin',
    staff: 'look',
    summary: 'The ISO images in a cluster, and which of them are on offer',
    params: idParams,
    response: z.array(IsoVolume),
  }),
  create: route({
    method: 'POST',
    path: '/api/isos',
    idempotent: true,
    access: 'admin',
    staff: 'run',
    summary: 'Offer an ISO image of a cluster, or make it the rescue system there',
    body: IsoCreate,
    response: Iso,
    status: 201,
  }),
  update: route({
    method: 'PUT',
    path: '/api/isos/:id',
    access: 'admin',
    staff: 'run',
    summary: 'Rename an ISO image, or make it the rescue system of its cluster',
    params: idParams,
    body: IsoUpdate,
    response: Iso,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/isos/:id',
    access: 'admin',
    staff: 'run',
    summary: 'Offer an ISO image no longer; its file stays',
    params: idParams,
    response: nothing,
    status: 204,
  }),
}

export const cds = {
  get: route({
    method: 'GET',
    path: '/api/instances/:id/iso',
    access: 'signed-in',
    staff: 'look',
    scope: 'servers:read',
    summary: 'What can be put into the CD drive of a server, and what is in it',
    params: idParams,
    response: Cds,
  }),
  insert: route({
    method: 'POST',
    path: '/api/instances/:id/iso',
    idempotent: true,
    access: 'in-person',
    staff: 'run',
    scope: 'servers:rebuild',
    summary: `Start a server once from a CD: one on offer, or one of at most ${MOST_ISO_GIB} GiB from an address, kept for ${OWN_ISO_DAYS} days`,
    params: idParams,
    body: CdInsert,
    response: Started,
    status: 202,
  }),
  takeOut: route({
    method: 'DELETE',
    path: '/api/instances/:id/iso',
    access: 'in-person',
    staff: 'run',
    scope: 'servers:rebuild',
    summary: 'Take the CD out of a server; what runs, runs on',
    params: idParams,
    response: Started,
    status: 202,
  }),
  rescue: route({
    method: 'POST',
    path: '/api/instances/:id/rescue',
    idempotent: true,
    access: 'in-person',
    staff: 'run',
    scope: 'servers:rebuild',
    summary: 'Start a server from the rescue system; its disk stays as it is',
    params: idParams,
    response: Started,
    status: 202,
  }),
  endRescue: route({
    method: 'DELETE',
    path: '/api/instances/:id/rescue',
    access: 'in-person',
    staff: 'run',
    scope: 'servers:rebuild',
    summary: 'Start a server from its own disk again',
    params: idParams,
    response: Started,
    status: 202,
  }),
}

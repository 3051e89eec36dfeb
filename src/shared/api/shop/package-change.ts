import { z } from 'zod'
import { idParams, nothing, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

const PackageId = z.string().trim().min(1, 'Please choose a package').max(100)

const Size = z.object({
  cpu: z.number().int(),
  ramGb: z.number().int(),
  diskGb: z.number().int(),
  diskKind: z.enum(['SSD', 'HDD']),
})

/** What another package would cost, and when it would hold. */
const ChangePreview = z.object({
  /** Taken from the credit at once, for the rest of the paid time; never negative. */
  now: z.string(),
  /** The price of every term after that. */
  // biome-ignore lint/suspicious/noThenProperty: the name is published, and a text is no thenable
  then: z.string(),
  /** From when on the server has it: this moment, or the end of the paid time. */
  from: Timestamp,
  /** The days of the paid time that `now` is for. */
  days: z.number().int(),
  /** Other cores or memory need a stop and a start of a running server. */
  needsRestart: z.boolean(),
  time: z.enum(['at-once', 'at-renewal']),
})
export type ChangePreview = z.output<typeof ChangePreview>

/** A package on sale, and what it would be for this server. */
const PackageChoice = z.object({
  id: z.string(),
  name: z.string(),
  price: z.string(),
  size: Size,
  /** Why this server cannot get it; null where it can. */
  refusal: z.string().nullable(),
  preview: ChangePreview,
})
export type PackageChoice = z.output<typeof PackageChoice>

/** A package that the server gets with its next term. */
export const PlannedPackage = z.object({
  id: z.string(),
  name: z.string(),
  price: z.string(),
  size: Size,
  /** When it takes effect; null until the next term is paid. */
  from: Timestamp.nullable(),
})
export type PlannedPackage = z.output<typeof PlannedPackage>

export const PackageChoices = z.object({
  packages: z.array(PackageChoice),
  planned: PlannedPackage.nullable(),
  credit: z.string(),
})
export type PackageChoices = z.output<typeof PackageChoices>

export const PackageChange = z.object({
  packageId: PackageId,
  /** Stops and starts a running server now. Without it other cores and memory wait for that. */
  restart: z.boolean().default(false),
})

export const packageChange = {
  choices: route({
    method: 'GET',
    path: '/api/instances/:id/packages',
    access: 'client',
    staff: 'look',
    scope: 'billing:read',
    summary:
      'The packages a server could have, what each would cost now and later, and the planned one',
    params: idParams,
    response: PackageChoices,
  }),
  preview: route({
    method: 'GET',
    path: '/api/instances/:id/package-change',
    access: 'client',
    staff: 'look',
    scope: 'billing:read',
    summary:
      'What another package of a server would cost now and later, and from when on it has it',
    params: idParams,
    query: z.object({ packageId: PackageId }),
    response: ChangePreview,
  }),
  change: route({
    method: 'POST',
    path: '/api/instances/:id/package',
    idempotent: true,
    access: 'client-in-person',
    scope: 'billing:spend',
    summary:
      'Give a server another package: a larger one at once, paid from credit; a smaller or cheaper one with its next term',
    params: idParams,
    body: PackageChange,
    /** Without a job it is planned for the next term. */
    response: z.object({ jobId: z.string().nullable(), from: Timestamp }),
    status: 202,
  }),
  keep: route({
    method: 'DELETE',
    path: '/api/instances/:id/package-change',
    access: 'client-in-person',
    scope: 'billing:spend',
    summary: 'Keep the present package: give up the one planned for the next term',
    params: idParams,
    response: nothing,
    status: 204,
  }),
}

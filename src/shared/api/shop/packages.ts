import { z } from 'zod'
import { nothing, optionalText, orNull, required, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

const FILL_IN = 'Please fill in all required fields.'

export const PublicPackage = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  cpu: z.string(),
  ram: z.string(),
  storage: z.string(),
  bandwidth: z.string().nullable(),
  traffic: z.string().nullable(),
  price: z.number(),
  popular: z.boolean(),
  active: z.boolean(),
  osOptions: z.array(z.string()),
  specialNote: z.string().nullable(),
  /** No node has room for it now. */
  soldOut: z.boolean(),
})
export type PublicPackage = z.output<typeof PublicPackage>

export const Package = PublicPackage.omit({ soldOut: true }).extend({
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Package = z.output<typeof Package>

const PackageFields = z.object({
  name: required(FILL_IN, 100),
  description: orNull(optionalText(500)),
  cpu: required(FILL_IN, 50),
  ram: required(FILL_IN, 50),
  storage: required(FILL_IN, 50),
  bandwidth: orNull(optionalText(50)),
  traffic: orNull(optionalText(50)),
  price: z
    .number({ error: FILL_IN })
    .min(0, 'Price must be a valid positive number')
    .max(1_000_000, 'Price must be at most 1,000,000')
    .multipleOf(0.01, 'Price must have at most two decimals'),
  popular: z.boolean(),
  active: z.boolean(),
  osOptions: z.array(required(FILL_IN, 100)).max(50),
  specialNote: orNull(optionalText(500)),
})

export const PackageCreate = PackageFields.extend({
  popular: PackageFields.shape.popular.default(false),
  active: PackageFields.shape.active.default(true),
  osOptions: PackageFields.shape.osOptions.default(['Ubuntu 22.04']),
})

/** Without defaults: a field that is not sent is not changed. */
export const PackageUpdate = PackageFields.partial()

const packageParams = z.object({ id: z.string().regex(/^[\w-]{1,40}$/) })

export const packages = {
  public: route({
    method: 'GET',
    path: '/api/packages/public',
    access: 'public',
    summary: 'The plans on sale',
    response: z.array(PublicPackage),
  }),
  list: route({
    method: 'GET',
    path: '/api/packages',
    access: 'admin',
    summary: 'All packages',
    response: z.array(Package),
  }),
  create: route({
    method: 'POST',
    path: '/api/packages',
    idempotent: true,
    access: 'admin',
    summary: 'Add a package',
    body: PackageCreate,
    response: Package,
    status: 201,
  }),
  update: route({
    method: 'PUT',
    path: '/api/packages/:id',
    access: 'admin',
    summary: 'Change a package',
    params: packageParams,
    body: PackageUpdate,
    response: Package,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/packages/:id',
    access: 'admin',
    summary: 'Delete a package',
    params: packageParams,
    response: nothing,
    status: 204,
  }),
}

import { z } from 'zod'
import {
  Id,
  idParams,
  nothing,
  optionalText,
  orNull,
  required,
  Timestamp,
} from '../parts/fields.ts'
import { route } from '../parts/route.ts'

export const OperatingSystem = z.object({
  id: Id,
  name: z.string(),
  description: z.string().nullable(),
  isActive: z.boolean(),
  createdAt: Timestamp,
})
export type OperatingSystem = z.output<typeof OperatingSystem>

const OperatingSystemFields = z.object({
  name: required('OS name is required', 100),
  description: orNull(optionalText(500)),
  isActive: z.boolean(),
})

export const OperatingSystemCreate = OperatingSystemFields.extend({
  isActive: z.boolean().default(true),
})

/** Without defaults: a field that is not sent is not changed. */
export const OperatingSystemUpdate = OperatingSystemFields.partial()

export const operatingSystems = {
  list: route({
    method: 'GET',
    path: '/api/operating-systems',
    access: 'signed-in',
    staff: 'look',
    scope: 'servers:read',
    summary: 'The operating systems on offer; a client sees the active ones',
    response: z.array(OperatingSystem),
  }),
  create: route({
    method: 'POST',
    path: '/api/operating-systems',
    idempotent: true,
    access: 'admin',
    staff: 'run',
    summary: 'Offer an operating system',
    body: OperatingSystemCreate,
    response: OperatingSystem,
    status: 201,
  }),
  update: route({
    method: 'PUT',
    path: '/api/operating-systems/:id',
    access: 'admin',
    staff: 'run',
    summary: 'Change an operating system',
    params: idParams,
    body: OperatingSystemUpdate,
    response: OperatingSystem,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/operating-systems/:id',
    access: 'admin',
    staff: 'run',
    summary: 'Remove an operating system nothing depends on',
    params: idParams,
    response: nothing,
    status: 204,
  }),
}

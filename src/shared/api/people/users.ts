import { z } from 'zod'
import { PASSWORD_MAX, PASSWORD_MIN } from '../../rules/people/password-length.ts'
import { ROLES } from '../../rules/people/roles.ts'
import { Id, idParams, nothing, optionalText, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

export const Role = z.enum(ROLES)
export type Role = z.output<typeof Role>

/** `owner` is another word for `admin`. */
const GivenRole = z
  .enum([...ROLES, 'owner'], { error: `Please choose one of ${[...ROLES, 'owner'].join(', ')}` })
  .transform((role): Role => (role === 'owner' ? 'admin' : role))

export const User = z.object({
  id: Id,
  username: z.string().nullable(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  email: z.string().nullable(),
  mobileNumber: z.string().nullable(),
  role: Role,
  isActive: z.boolean(),
  createdAt: Timestamp,
})
export type User = z.output<typeof User>

/** A row of System Users. */
export const ManagedUser = User.extend({
  hasDevice: z.boolean(),
  /** Another account has the same device, so this account gets no free trial. */
  isLookAlike: z.boolean(),
  /** The network (/24 or /48) the account was created from; erased after 30 days. */
  registeredFrom: z.string().nullable(),
  hasSecondFactor: z.boolean(),
})
export type ManagedUser = z.output<typeof ManagedUser>

export const ClientSummary = User.pick({
  id: true,
  username: true,
  firstName: true,
  lastName: true,
  email: true,
  isActive: true,
})

const firstName = optionalText(100).min(2, 'First name must be at least 2 characters')
const lastName = optionalText(100).min(2, 'Last name must be at least 2 characters')
const email = z
  .string()
  .trim()
  .max(255, 'Please use at most 255 characters')
  .pipe(z.email('Please enter a valid email address'))
const mobileNumber = optionalText(20).min(10, 'Please enter a valid mobile number')
export const Password = z
  .string()
  .min(PASSWORD_MIN, 'Password must be at least 8 characters')
  .max(PASSWORD_MAX, `Password must be at most ${PASSWORD_MAX} characters`)

export const UserCreate = z.object({
  firstName,
  lastName,
  email,
  mobileNumber,
  password: Password,
  role: GivenRole.default('client'),
  isActive: z.boolean().default(true),
  agreedToTerms: z.literal(true, { error: 'You must agree to the terms of service' }),
})

export const UserUpdate = z
  .object({
    firstName,
    lastName,
    email,
    mobileNumber,
    role: GivenRole,
    isActive: z.boolean(),
    /** With `isActive: false`: suspends its servers, too. Otherwise they keep running. */
    suspendServers: z.boolean(),
  })
  .partial()

/**
 * The client created along with an instance. Without a password one is generated and shown once.
 */
export const ClientCreate = z.object({
  email: z.string().trim().max(255).pipe(z.email('Valid email required')),
  firstName: optionalText(100).optional(),
  lastName: optionalText(100).optional(),
  role: GivenRole.default('client'),
  password: Password.optional(),
})

export const users = {
  clients: route({
    method: 'GET',
    path: '/api/users/clients',
    access: 'admin',
    staff: 'look',
    summary: 'All client accounts, for choosing one',
    response: z.array(ClientSummary),
  }),
  createClient: route({
    method: 'POST',
    path: '/api/users',
    idempotent: true,
    access: 'admin',
    staff: 'run',
    needsProof: true,
    summary: 'Create an account by e-mail; without a password one is generated',
    body: ClientCreate,
    response: z.object({
      id: Id,
      username: z.string(),
      generatedPassword: z.string().optional(),
    }),
    status: 201,
  }),
  list: route({
    method: 'GET',
    path: '/api/admin/users',
    access: 'admin',
    staff: 'look',
    summary: 'All accounts',
    response: z.array(ManagedUser),
  }),
  create: route({
    method: 'POST',
    path: '/api/admin/users',
    idempotent: true,
    access: 'admin',
    staff: 'run',
    needsProof: true,
    summary: 'Create an account',
    body: UserCreate,
    response: ManagedUser,
    status: 201,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/admin/users/:id',
    access: 'admin',
    staff: 'run',
    needsProof: true,
    summary: 'Change name, contact, role or status of an account',
    params: idParams,
    body: UserUpdate,
    response: ManagedUser,
  }),
  servers: route({
    method: 'GET',
    path: '/api/admin/users/:id/servers',
    access: 'admin',
    staff: 'look',
    summary: 'How many servers a client has, and how many of them are suspended',
    params: idParams,
    response: z.object({ count: z.number().int(), suspended: z.number().int() }),
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/admin/users/:id',
    access: 'admin',
    staff: 'run',
    needsProof: true,
    summary: 'Delete a client; its tokens are cancelled',
    params: idParams,
    response: nothing,
    status: 204,
  }),
  resetPassword: route({
    method: 'POST',
    path: '/api/admin/users/:id/reset-password',
    idempotent: true,
    access: 'admin',
    staff: 'run',
    needsProof: true,
    summary: 'Give an account a new random password and end its sessions',
    params: idParams,
    response: z.object({ newPassword: z.string() }),
  }),
  resetSecondFactor: route({
    method: 'DELETE',
    path: '/api/admin/users/:id/totp',
    access: 'admin',
    needsProof: true,
    summary: 'Turn the second factor of another account off, and end its sessions',
    params: idParams,
    response: nothing,
    status: 204,
  }),
  releaseDevice: route({
    method: 'DELETE',
    path: '/api/admin/users/:id/device',
    access: 'admin',
    staff: 'help',
    summary: 'Let the device of this account register another one',
    params: idParams,
    response: ManagedUser,
  }),
}

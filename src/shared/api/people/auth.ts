import { z } from 'zod'
import { PASSWORD_MAX } from '../../rules/people/password-length.ts'
import { nothing } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { User } from './users.ts'

/** The current user; while an admin simulates a client, the client together with that admin. */
export const Me = User.extend({
  isSimulated: z.boolean().optional(),
  adminUser: z.object({ email: z.string().nullable() }).optional(),
})
export type Me = z.output<typeof Me>

const MISSING = 'Please enter both username/email and password.'

export const Login = z.object({
  username: z.string({ error: MISSING }).trim().min(1, MISSING).max(255, MISSING),
  password: z.string({ error: MISSING }).min(1, MISSING).max(PASSWORD_MAX, MISSING),
})

export const Register = z.object({
  agreedToTerms: z.literal(true, {
    error: 'You must agree to the terms of service to continue.',
  }),
  deviceMacAddress: z
    .string({ error: 'Device fingerprint not available' })
    .regex(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/, 'Device fingerprint not available'),
})

export const auth = {
  me: route({
    method: 'GET',
    path: '/api/auth/me',
    access: 'signed-in',
    summary: 'Who is signed in',
    response: Me,
  }),
  login: route({
    method: 'POST',
    path: '/api/auth/login',
    access: 'public',
    summary: 'Sign in by username or e-mail',
    body: Login,
    response: Me,
    limit: 'strict',
  }),
  register: route({
    method: 'POST',
    path: '/api/auth/register',
    access: 'public',
    summary: 'Make an anonymous account; the password is shown this once',
    body: Register,
    response: z.object({ username: z.string(), generatedPassword: z.string() }),
    status: 201,
    limit: 'strict',
  }),
  logout: route({
    method: 'POST',
    path: '/api/auth/logout',
    access: 'signed-in',
    summary: 'End this session',
    response: nothing,
    status: 204,
  }),
}

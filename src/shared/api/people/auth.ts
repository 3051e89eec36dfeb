import { z } from 'zod'
import { PASSWORD_MAX } from '../../rules/people/password-length.ts'
import { DUTIES } from '../../rules/people/roles.ts'
import { nothing } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { Proof } from './second-factor.ts'
import { User } from './users.ts'

/** The current user; while an admin simulates a client, the client together with that admin. */
export const Me = User.extend({
  isSimulated: z.boolean().optional(),
  adminUser: z.object({ email: z.string().nullable() }).optional(),
  /** What a member of the staff may do, also while simulating; missing for a client. */
  duties: z.array(z.enum(DUTIES)).optional(),
  /** An operator who must set a second factor up before anything else. */
  needsSecondFactor: z.literal(true).optional(),
})
export type Me = z.output<typeof Me>

const MISSING = 'Please enter both username/email and password.'

export const Login = z.object({
  username: z.string({ error: MISSING }).trim().min(1, MISSING).max(255, MISSING),
  password: z.string({ error: MISSING }).min(1, MISSING).max(PASSWORD_MAX, MISSING),
  // Of the second factor, where the account has one.
  ...Proof.shape,
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
    staff: 'look',
    scope: 'any',
    beforeSecondFactor: true,
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
    staff: 'look',
    beforeSecondFactor: true,
    summary: 'End this session',
    response: nothing,
    status: 204,
  }),
}

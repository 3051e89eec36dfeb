import { z } from 'zod'
import { PASSWORD_MAX } from '../../rules/people/password-length.ts'
import { Id, idParams, nothing, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { AccountExport } from './account-export.ts'
import { Password } from './users.ts'

export const PasswordChange = z.object({
  currentPassword: z
    .string({ error: 'Please enter your current password' })
    .min(1, 'Please enter your current password')
    .max(PASSWORD_MAX, 'Please enter your current password'),
  newPassword: Password,
})

export const Session = z.object({
  id: Id,
  /** A rough name such as "Firefox on Linux"; the full user agent is not kept. */
  device: z.string(),
  isCurrent: z.boolean(),
  createdAt: Timestamp,
  lastSeenAt: Timestamp,
  expiresAt: Timestamp,
})
export type Session = z.output<typeof Session>

/** A security event of the caller's own account. */
export const Activity = z.object({
  /** Negative for entries that are counted by the hour. */
  id: z.number().int(),
  at: Timestamp,
  action: z.string(),
  /** Who did it, as far as the caller may know: "You" or "An administrator". */
  by: z.enum(['you', 'admin', 'system']),
  /** The server that the action concerned, if any. */
  server: z.string().nullable(),
  /** How often it happened within the hour; 1 for everything but failed sign-ins. */
  times: z.number().int().positive(),
})
export type Activity = z.output<typeof Activity>

export const AccountDeletion = z.object({
  password: z
    .string({ error: 'Please enter your password' })
    .min(1, 'Please enter your password')
    .max(PASSWORD_MAX, 'Please enter your password'),
  /** The typed username, so that no account is deleted by accident. */
  confirm: z.string({ error: 'Please type your username' }).trim().max(255),
  /** Required while the account has credit, or a payment that may still arrive. */
  giveUpMoney: z.boolean().default(false),
})

/** What is deleted with the account. */
export const DeletionPreview = z.object({
  servers: z.number().int(),
  /** Servers stop at once and are deleted after this many days. */
  keptDays: z.number().int(),
  credit: z.string(),
  openOrders: z.number().int(),
})
export type DeletionPreview = z.output<typeof DeletionPreview>

export const account = {
  remove: route({
    method: 'DELETE',
    path: '/api/account',
    access: 'in-person',
    staff: 'look',
    needsProof: true,
    summary: 'Delete my account for good; its servers end',
    body: AccountDeletion,
    response: nothing,
    status: 204,
    limit: 'strict',
  }),
  deletion: route({
    method: 'GET',
    path: '/api/account/deletion',
    access: 'in-person',
    staff: 'look',
    summary: 'What goes with my account when I delete it',
    response: DeletionPreview,
  }),
  export: route({
    method: 'GET',
    path: '/api/account/export',
    access: 'in-person',
    staff: 'look',
    summary: 'Everything stored about me, as JSON',
    response: AccountExport,
    limit: 'strict',
  }),
  changePassword: route({
    method: 'POST',
    path: '/api/account/password',
    access: 'in-person',
    staff: 'look',
    summary: 'Change the own password; other sessions end',
    body: PasswordChange,
    response: nothing,
    status: 204,
    limit: 'strict',
  }),
  sessions: route({
    method: 'GET',
    path: '/api/account/sessions',
    access: 'in-person',
    staff: 'look',
    summary: 'Where I am signed in',
    response: z.array(Session),
  }),
  endSession: route({
    method: 'DELETE',
    path: '/api/account/sessions/:id',
    access: 'in-person',
    staff: 'look',
    summary: 'End one of my sessions',
    params: idParams,
    response: nothing,
    status: 204,
  }),
  endSessions: route({
    method: 'DELETE',
    path: '/api/account/sessions',
    access: 'in-person',
    staff: 'look',
    summary: 'Sign out everywhere, here too',
    response: nothing,
    status: 204,
  }),
  activity: route({
    method: 'GET',
    path: '/api/account/activity',
    access: 'signed-in',
    staff: 'look',
    summary: 'Security events of my account, newest first',
    response: z.array(Activity),
  }),
}

import { z } from 'zod'
import { Id, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

/** The id is null for an account that has since been deleted. */
const Person = z.object({ id: Id.nullable(), name: z.string() }).nullable()

export const AuditEntry = z.object({
  id: Id,
  at: Timestamp,
  action: z.string(),
  /** The account that acted; `admin` is the admin behind a simulated client. */
  actor: Person,
  admin: Person,
  /** The account that the action concerned. */
  subject: Person,
  target: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
})
export type AuditEntry = z.output<typeof AuditEntry>

const AuditPage = z.object({
  entries: z.array(AuditEntry),
  /** The id to pass as `before` for older entries; null at the end. */
  next: Id.nullable(),
  /** Every action that occurs in the log, for the filter. */
  actions: z.array(z.string()),
})

const Day = z.iso.date('Dates look like 2026-11-15')

/** Entries per page; an export of the log reads larger pages. */
const PAGE = 50

export const audit = {
  list: route({
    method: 'GET',
    path: '/api/admin/audit',
    access: 'admin',
    staff: 'look',
    summary: 'The audit log, newest first',
    query: z.object({
      action: z
        .string()
        .regex(/^[a-z.-]{1,60}$/)
        .optional(),
      userId: z.coerce.number<number>().int().positive().max(2_147_483_647).optional(),
      before: z.coerce.number<number>().int().positive().max(2_147_483_647).optional(),
      /** The first and the last day shown, in server time (UTC). */
      from: Day.optional(),
      to: Day.optional(),
      limit: z.coerce.number<number>().int().min(1).max(1000).default(PAGE),
    }),
    response: AuditPage,
  }),
}

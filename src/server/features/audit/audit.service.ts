import { and, asc, desc, eq, inArray, lt, or } from 'drizzle-orm'
import type { z } from 'zod'
import type { audit } from '#shared/api/people/audit.ts'
import { userName } from '#shared/rules/people/user-name.ts'
import { inPeriod } from '../../db/in-period.ts'
import { auditLog, users } from '../../db/schema/accounts.ts'
import type { Deps } from '../../runtime/deps.ts'

/** Its key is destroyed, so the account can no longer be identified. */
const DELETED = 'Deleted account'

type Query = z.output<typeof audit.list.query>

export function auditService({ db }: Pick<Deps, 'db'>) {
  const names = async (ids: number[]): Promise<Map<number, string>> => {
    if (ids.length === 0) return new Map()
    const rows = await db.select().from(users).where(inArray(users.id, ids))
    return new Map(rows.map((user) => [user.id, userName(user)]))
  }

  return {
    async list({ action, userId, before, from, to, limit }: Query) {
      const rows = await db
        .select()
        .from(auditLog)
        .where(
          and(
            action === undefined ? undefined : eq(auditLog.action, action),
            before === undefined ? undefined : lt(auditLog.id, before),
            inPeriod(auditLog.at, { from, to }),
            userId === undefined
              ? undefined
              : or(
                  eq(auditLog.actorId, userId),
                  eq(auditLog.adminId, userId),
                  eq(auditLog.subjectId, userId),
                ),
          ),
        )
        .orderBy(desc(auditLog.id))
        .limit(limit + 1)
      const page = rows.slice(0, limit)
      const people = page
        .flatMap((row) => [row.actorId, row.adminId, row.subjectId])
        .filter((id) => id !== null)
      const nameOf = await names([...new Set(people)])
      const person = (id: number | null, seal: string | null) => {
        if (id !== null) return { id, name: nameOf.get(id) ?? DELETED }
        return seal === null ? null : { id: null, name: DELETED }
      }
      const actions = await db
        .selectDistinct({ action: auditLog.action })
        .from(auditLog)
        .orderBy(asc(auditLog.action))
      return {
        entries: page.map((row) => ({
          id: row.id,
          at: row.at,
          action: row.action,
          actor: person(row.actorId, row.actorSeal),
          admin: person(row.adminId, row.adminSeal),
          subject: person(row.subjectId, row.subjectSeal),
          target:
            row.subjectId !== null && row.target === 'user' ? `user:${row.subjectId}` : row.target,
          details: row.details,
        })),
        next: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
        actions: actions.map((row) => row.action),
      }
    },
  }
}

import { and, asc, isNull, type SQL } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { templates } from '../../db/schema/infrastructure.ts'

/**
 * Templates the clusters have now; a vanished one is kept for the rows that refer to it, but not
 * shown.
 */
export const templateRows = (db: Db, where?: SQL) =>
  db
    .select()
    .from(templates)
    .where(and(isNull(templates.missingSince), where))
    .orderBy(asc(templates.templateId), asc(templates.id))

import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { AppError } from '#shared/errors.ts'
import { CD_KINDS } from '#shared/rules/instance/cds.ts'
import type { Db } from '../../db/database.ts'
import { serverCds } from '../../db/schema/stock.ts'
import { UPDATING } from '../../inventory/vm/acts-under-way.ts'
import type { StepContext } from '../../jobs/job-definition.ts'
import { holdBy } from '../hold/held-server.ts'

const Server = z.object({
  instanceId: z.number().int(),
  tokenId: z.number().int(),
  /** The name the server was sold by. */
  name: z.string(),
  since: z.string(),
})

export const InsertInput = Server.extend({
  kind: z.enum(CD_KINDS),
  /** What its client reads. */
  cdName: z.string(),
  /** Null for an image of one's own, which is still to be downloaded. */
  volume: z.string().nullable(),
  own: z.object({ url: z.string(), sha256: z.string(), file: z.string() }).nullable(),
})
export type InsertInput = z.output<typeof InsertInput>
export type InsertContext = StepContext<InsertInput>

export const TakeOutInput = Server.extend({ kind: z.enum(CD_KINDS) })
export type TakeOutInput = z.output<typeof TakeOutInput>
export type TakeOutContext = StepContext<TakeOutInput>

const OVER = 'This work on the CD is over. Begin another one.'

export const hold = holdBy({ status: UPDATING, over: OVER })
/** A CD is taken out also of a server whose time is over. */
export const holdAnyway = holdBy({ status: UPDATING, over: OVER, mayBeOff: true })

export type CdRow = typeof serverCds.$inferSelect

export async function cdOf(db: Db, instanceId: number): Promise<CdRow | undefined> {
  const [row] = await db.select().from(serverCds).where(eq(serverCds.instanceId, instanceId))
  return row
}

export async function requireCd(db: Db, instanceId: number): Promise<CdRow> {
  const row = await cdOf(db, instanceId)
  if (!row) throw new AppError('INVALID_STATE', 'No CD is in this server.')
  return row
}

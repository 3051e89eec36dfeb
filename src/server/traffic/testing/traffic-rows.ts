import { isNotNull } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { instances } from '../../db/schema/stock.ts'
import { serverTraffic, trafficDays, trafficGaps } from '../../db/schema/traffic.ts'
import { dayOf } from '../count/counted.ts'

/** One server as it is counted, with a gap that waits for the cluster's history. */
export async function trafficRows(db: Db, now: Date): Promise<void> {
  const [server] = await db.select().from(instances).where(isNotNull(instances.ownerId)).limit(1)
  if (!server) throw new Error('no server is sold')
  const instanceId = server.id
  const bytes = { inBytes: 3e9, outBytes: 5e9 }
  const to = new Date(now.getTime() + 1000)
  await db.insert(serverTraffic).values({
    ...bytes,
    instanceId,
    seenAt: now,
    seenUptime: 60,
    periodFrom: now,
    periodTo: to,
  })
  await db.insert(trafficDays).values({ ...bytes, instanceId, day: dayOf(now.getTime()) })
  await db.insert(trafficGaps).values({ instanceId, fromAt: now, toAt: to })
}

import { and, eq, inArray, isNotNull, ne } from 'drizzle-orm'
import { type InstanceSize, sizeFromName } from '#shared/rules/instance/instance-size.ts'
import type { Db } from '../../db/database.ts'
import { nodes } from '../../db/schema/infrastructure.ts'
import { orders } from '../../db/schema/sales.ts'
import type { Hypervisors } from '../../hypervisor/hypervisors.ts'
import { liveNode } from '../../inventory/views/live-nodes.ts'

const GB = 2 ** 30

/** A node that is online, and its free capacity. */
export type Room = { nodeId: number; memory: number; storage: number }

const fits = (room: Room, { ramGb, diskGb }: InstanceSize): boolean =>
  room.memory >= ramGb * GB && room.storage >= diskGb * GB

/** The free capacity of each online node, minus what is sold but not created yet. */
export async function freeRooms(
  db: Db,
  hypervisors: Hypervisors,
  exceptOrder?: number,
): Promise<Room[]> {
  const rows = await db.select().from(nodes)
  const rooms = rows.flatMap((row): Room[] => {
    const node = liveNode(row, hypervisors)
    if (node.status !== 'online') return []
    const left = (total: number | null, used: number | null) => (total ?? 0) - (used ?? 0)
    return [
      {
        nodeId: row.id,
        memory: left(node.memoryTotal, node.memoryUsed),
        storage: left(node.storageTotal, node.storageUsed),
      },
    ]
  })
  for (const size of await promised(db, exceptOrder)) takeFrom(rooms, size)
  return rooms
}

/** Packages that are paid or being paid, and not delivered. */
async function promised(db: Db, exceptOrder?: number): Promise<InstanceSize[]> {
  const rows = await db
    .select({ name: orders.serverName })
    .from(orders)
    .where(
      and(
        eq(orders.kind, 'package'),
        isNotNull(orders.serverName),
        inArray(orders.status, ['pending', 'paid', 'provisioning']),
        exceptOrder === undefined ? undefined : ne(orders.id, exceptOrder),
      ),
    )
  return rows.map(({ name }) => sizeFromName(name ?? ''))
}

function takeFrom(rooms: Room[], size: InstanceSize): void {
  const largest = rooms.toSorted((a, b) => b.memory - a.memory).find((room) => fits(room, size))
  if (!largest) return
  largest.memory -= size.ramGb * GB
  largest.storage -= size.diskGb * GB
}

export const hasRoom = (rooms: readonly Room[], size: InstanceSize): boolean =>
  rooms.some((room) => fits(room, size))

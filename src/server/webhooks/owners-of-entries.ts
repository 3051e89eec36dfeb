import { and, eq, inArray, max } from 'drizzle-orm'
import { TAKEN_OVER } from '../audit/taken-over.ts'
import { ENTRY } from '../audit/timeline.ts'
import type { Db } from '../db/database.ts'
import { auditLog } from '../db/schema/accounts.ts'
import { orders } from '../db/schema/sales.ts'
import { instances, tokens } from '../db/schema/stock.ts'

export const TOLD_ENTRY = {
  ...ENTRY,
  target: auditLog.target,
  details: auditLog.details,
  subjectId: auditLog.subjectId,
  subjectSeal: auditLog.subjectSeal,
}

export type ToldEntry = {
  id: number
  at: Date
  action: string
  actorId: number | null
  actorSeal: string | null
  adminSeal: string | null
  role: string | null
  target: string | null
  details: Record<string, unknown>
  subjectId: number | null
  subjectSeal: string | null
}

/** What an entry is about, and the client it concerns. */
export type About = {
  ownerId: number | null
  serverId: number | null
  tokenId: number | null
  orderId: number | null
}

const TARGET = /^(instance|token|order):(\d+)$/

type Named = { kind: string | undefined; id: number; orderId: number | null }

function named({ target, details }: ToldEntry): Named {
  const [, kind, id] = TARGET.exec(target ?? '') ?? []
  const told = typeof details.orderId === 'number' ? details.orderId : null
  return { kind, id: Number(id ?? 0), orderId: kind === 'order' ? Number(id) : told }
}

/**
 * Says of each entry whom it concerns: the account it names, else the one that placed the order or
 * has the server. An entry from before a server was handed over does not concern who has it now.
 */
export async function aboutEntries(tx: Db, entries: readonly ToldEntry[]) {
  const names = entries.map(named)
  const idsOf = (kind: string) => names.filter((one) => one.kind === kind).map(({ id }) => id)
  const placed = await byId(
    names.flatMap(({ orderId }) => orderId ?? []),
    (ids) =>
      tx
        .select({ id: orders.id, ownerId: orders.userId, tokenId: orders.tokenId })
        .from(orders)
        .where(inArray(orders.id, ids)),
  )
  const tokenIds = [...idsOf('token'), ...[...placed.values()].flatMap((row) => row.tokenId ?? [])]
  const held = await byId(tokenIds, (ids) =>
    tx
      .select({
        id: tokens.id,
        ownerId: tokens.assignedUserId,
        serverId: tokens.assignedInstanceId,
      })
      .from(tokens)
      .where(inArray(tokens.id, ids)),
  )
  const serverIds = [
    ...idsOf('instance'),
    ...[...held.values()].flatMap((row) => row.serverId ?? []),
  ]
  const servers = await byId(serverIds, (ids) =>
    tx
      .select({ id: instances.id, ownerId: instances.ownerId })
      .from(instances)
      .where(inArray(instances.id, ids)),
  )
  const takenOver = await takenOverOf(tx, serverIds)

  return (entry: ToldEntry): About => {
    const { kind, id, orderId } = named(entry)
    const order = placed.get(orderId ?? 0)
    const token = held.get(kind === 'token' ? id : (order?.tokenId ?? 0))
    const told = entry.details.instanceId
    const toldId = typeof told === 'number' ? told : null
    const serverId = kind === 'instance' ? id : (token?.serverId ?? toldId)
    const isSince = entry.id >= (takenOver.get(`instance:${serverId ?? 0}`) ?? 0)
    const holder = kind === 'instance' ? servers.get(id) : token
    const ownerId = ownerOf(entry, order, isSince ? holder : undefined)
    return { ownerId, serverId, tokenId: token?.id ?? null, orderId }
  }
}

type Owned = { ownerId: number | null }

function ownerOf(entry: ToldEntry, order: Owned | undefined, holder: Owned | undefined) {
  // A seal without an id: the account that it names was deleted.
  if (entry.subjectSeal !== null) return entry.subjectId
  return (order ?? holder)?.ownerId ?? null
}

async function byId<Row extends { id: number }>(
  ids: readonly number[],
  read: (ids: number[]) => Promise<Row[]>,
): Promise<Map<number, Row>> {
  if (ids.length === 0) return new Map()
  return new Map((await read([...new Set(ids)])).map((row) => [row.id, row]))
}

async function takenOverOf(tx: Db, serverIds: readonly number[]): Promise<Map<string, number>> {
  const targets = serverIds.map((id) => `instance:${id}`)
  if (targets.length === 0) return new Map()
  const rows = await tx
    .select({ target: auditLog.target, id: max(auditLog.id) })
    .from(auditLog)
    .where(and(inArray(auditLog.target, targets), eq(auditLog.action, TAKEN_OVER)))
    .groupBy(auditLog.target)
  return new Map(rows.map(({ target, id }) => [target ?? '', id ?? 0]))
}

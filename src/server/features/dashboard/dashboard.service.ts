import { asc, eq, inArray } from 'drizzle-orm'
import type { z } from 'zod'
import type { ActiveClient } from '#shared/api/overview/dashboard.ts'
import { TokenStatus, TokenType } from '#shared/api/shop/tokens.ts'
import { decimal } from '#shared/rules/money/money.ts'
import { users } from '../../db/schema/accounts.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { instanceRows, type JoinedInstance } from '../../inventory/views/instance-rows.ts'
import { toInstance } from '../../inventory/views/live-instances.ts'
import type { Deps } from '../../runtime/deps.ts'
import { attention } from './attention/attention.ts'

type DashboardDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'hypervisors' | 'instanceList'>
type Client = z.input<typeof ActiveClient>

export function dashboardService(deps: DashboardDeps) {
  const { db } = deps

  /** The instances of these tokens, by token: the assigned one, else the one that refers to it. */
  const instancesOf = async (rows: (typeof tokens.$inferSelect)[]) => {
    const byToken = new Map<number, JoinedInstance>()
    if (rows.length === 0) return byToken
    const given = new Map(rows.flatMap((row) => assigned(row)))
    const ids = rows.map(({ id }) => id)
    for (const row of await instanceRows(db, inArray(instances.tokenId, ids))) {
      if (row.tokenId !== null) byToken.set(row.tokenId, row)
    }
    if (given.size === 0) return byToken
    for (const row of await instanceRows(db, inArray(instances.id, [...given.keys()]))) {
      const tokenId = given.get(row.id)
      if (tokenId !== undefined) byToken.set(tokenId, row)
    }
    return byToken
  }

  const toToken = (row: typeof tokens.$inferSelect, instance: JoinedInstance | undefined) => ({
    id: row.id,
    tokenId: row.tokenId,
    name: row.name,
    status: TokenStatus.parse(row.status),
    tokenType: TokenType.parse(row.tokenType),
    osType: row.osType,
    durationDays: row.durationDays,
    monthlyPrice: decimal(row.monthlyPriceCents),
    proxmoxVmId: row.proxmoxVmId ?? instance?.vmId ?? null,
    instance: instance ? toInstance(instance, deps) : null,
  })

  return {
    /** Clients with servers in use, each with its servers. */
    async clients(): Promise<Client[]> {
      const rows = await db
        .select({ token: tokens, user: users })
        .from(tokens)
        .innerJoin(users, eq(users.id, tokens.assignedUserId))
        .where(eq(tokens.status, 'assigned'))
        .orderBy(asc(users.id), asc(tokens.id))
      const byToken = await instancesOf(rows.map(({ token }) => token))
      const clients = new Map<number, Client>()
      for (const { token, user } of rows) {
        const { id, username, firstName, lastName, email, isActive } = user
        const client = clients.get(id) ?? {
          ...{ id, username, firstName, lastName, email, isActive },
          activeTokens: [],
        }
        client.activeTokens.push(toToken(token, byToken.get(token.id)))
        clients.set(id, client)
      }
      return [...clients.values()]
    },

    attention: () => attention(deps),
  }
}

const assigned = ({ id, assignedInstanceId }: typeof tokens.$inferSelect): [number, number][] =>
  assignedInstanceId === null ? [] : [[assignedInstanceId, id]]

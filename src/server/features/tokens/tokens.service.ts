import { asc, desc, eq, ne } from 'drizzle-orm'
import type { z } from 'zod'
import type { TokenCreate, TokenUpdate } from '#shared/api/shop/tokens.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { parseAmount } from '#shared/rules/money/money.ts'
import { keptUntil } from '#shared/rules/token/token-expiry.ts'
import { editRefusal, stockStatus } from '#shared/rules/token/token-status.ts'
import { settleToken } from '../../addresses/settle-addresses.ts'
import { nextFreeAddress } from '../../addresses/take-address.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { nodes } from '../../db/schema/infrastructure.ts'
import { tokens } from '../../db/schema/stock.ts'
import { randomId } from '../../lib/random.ts'
import { stockProblems } from '../../provisioning/allocation/stock-health.ts'
import type { startJob } from '../../provisioning/lifecycle/lifecycle-jobs.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { openPassword, sealPassword, type TokenRow, toToken } from '../../tokens/token-rows.ts'
import { removeToken, restoreToken } from './retired-tokens.ts'
import {
  asMacConflict,
  checkInstance,
  checkTemplate,
  holdAddress,
  placeOf,
  takeInstance,
} from './token-checks.ts'
import { timelineOf } from './token-timeline.ts'

export type TokensDeps = Pick<
  Deps,
  'db' | 'clock' | 'random' | 'keyring' | 'events' | 'hypervisors' | 'config' | 'jobs'
> & { audit: Audit; start: ReturnType<typeof startJob> }

type Create = z.output<typeof TokenCreate>
type Update = z.output<typeof TokenUpdate>

export function tokensService(deps: TokensDeps) {
  const { db, clock, random, keyring, events, hypervisors, audit, config } = deps

  /** One change with its audit record, and an event for every page that shows tokens. */
  const write = async <T extends TokenRow | undefined>(
    actor: Actor,
    action: string,
    work: (tx: Db) => Promise<{ id: number; token: T }>,
  ): Promise<T> => {
    try {
      return await db.transaction(async (tx) => {
        const { id, token } = await work(tx)
        await events.emit(tx, 'everyone', { type: 'changed', nouns: ['tokens', 'instances'] })
        await audit.record(tx, actor, { action, target: `token:${id}` })
        return token
      })
    } catch (error) {
      throw asMacConflict(error)
    }
  }

  const view = async (rows: TokenRow[]) => {
    const problems = await stockProblems(db, rows, hypervisors)
    return rows.map((row) => ({
      ...toToken(row),
      nodeId: row.nodeId,
      templateId: row.templateId,
      instanceId: row.instanceId,
      billingPlanId: row.billingPlanId,
      problem: problems.get(row.id) ?? null,
      keptUntil: keptVmUntil(row, config.graceDays),
    }))
  }

  const viewOne = async (row: TokenRow) => {
    const [token] = await view([row])
    if (!token) throw notFound('Token')
    return token
  }

  const insert = async (tx: Db, body: Create): Promise<TokenRow> => {
    const tokenId = randomId(random)
    const place = await stockFields(tx, body, deps)
    const [row] = await tx
      .insert(tokens)
      .values({
        tokenId,
        name: body.name,
        tokenType: body.tokenType,
        username: body.username,
        password: sealPassword(keyring, tokenId, body.password),
        osType: body.osType,
        nodeId: body.nodeId,
        ...place,
        monthlyPriceCents: parseAmount(body.monthlyPrice) ?? 0,
        durationDays: body.durationDays,
        clientIpAddress: body.clientIpAddress ?? null,
        domain: body.domain || null,
        status: stockStatus(body.tokenType),
        createdAt: clock.now(),
      })
      .returning()
    if (!row) throw new Error('the token was not stored')
    if (row.instanceId !== null) await takeInstance(tx, row.instanceId, row.id)
    await settleToken(tx, row, clock.now())
    return row
  }

  return {
    list: async () =>
      view(
        await db
          .select()
          .from(tokens)
          .where(ne(tokens.status, 'cancelled'))
          .orderBy(asc(tokens.id)),
      ),

    cancelled: async () =>
      view(
        await db
          .select()
          .from(tokens)
          .where(eq(tokens.status, 'cancelled'))
          .orderBy(desc(tokens.cancelledAt), desc(tokens.id)),
      ),

    async create(actor: Actor, body: Create) {
      const row = await write(actor, 'token.create', async (tx) => {
        const token = await insert(tx, body)
        return { id: token.id, token }
      })
      const token = await viewOne(row)
      return row.monthlyPriceCents > 0
        ? token
        : {
            ...token,
            isFreeTrial: true,
            message: 'Free trial token created successfully - no payment required',
          }
    },

    async update(actor: Actor, id: number, body: Update) {
      const row = await write(actor, 'token.update', async (tx) => {
        const [found] = await tx.select().from(tokens).where(eq(tokens.id, id)).for('update')
        if (!found) throw notFound('Token')
        const { password } = body
        const changes = {
          ...(await changedFields(tx, found, body, deps)),
          name: body.name,
          username: body.username,
          osType: body.osType,
          blocked: null,
          ...(password && { password: sealPassword(keyring, found.tokenId, password) }),
        }
        const [token] = await tx.update(tokens).set(changes).where(eq(tokens.id, id)).returning()
        if (!token) throw notFound('Token')
        for (const one of [found, token]) await settleToken(tx, one, clock.now())
        return { id, token }
      })
      return await viewOne(row)
    },

    /** In stock: withdraws it, and it can be restored. Already cancelled: deletes it for good. */
    async remove(actor: Actor, id: number): Promise<void> {
      await db.transaction(async (tx) => {
        const action = await removeToken(tx, id, deps)
        await events.emit(tx, 'everyone', { type: 'changed', nouns: ['tokens', 'instances'] })
        await audit.record(tx, actor, { action, target: `token:${id}` })
      })
    },

    async restore(actor: Actor, id: number) {
      const row = await write(actor, 'token.restore', async (tx) => ({
        id,
        token: await restoreToken(tx, id, deps),
      }))
      return await viewOne(row)
    },

    /** For a token that no client has; a client's login is revealed through the server. */
    reveal: (actor: Actor, id: number) =>
      db.transaction(async (tx) => {
        const [row] = await tx.select().from(tokens).where(eq(tokens.id, id))
        if (!row) throw notFound('Token')
        if (row.assignedUserId !== null) throw belongsToClient(row)
        await audit.record(tx, actor, { action: 'token.reveal', target: `token:${id}` })
        return { username: row.username, password: openPassword(keyring, row) }
      }),

    timeline: (actor: Actor, id: number) => timelineOf(db, actor, id),

    async nextAddress(nodeId: number): Promise<{ ipAddress: string | null }> {
      const [node] = await db
        .select({ clusterId: nodes.clusterId })
        .from(nodes)
        .where(eq(nodes.id, nodeId))
      if (!node) throw notFound('Node')
      const wanted = { clusterId: node.clusterId, family: 4, now: clock.now() } as const
      const ipAddress = await db.transaction((tx) => nextFreeAddress(tx, wanted))
      return { ipAddress: ipAddress ?? null }
    },
  }
}

const belongsToClient = ({ assignedInstanceId }: TokenRow) => {
  const where =
    assignedInstanceId === null ? '' : ` POST /api/instances/${assignedInstanceId}/reveal.`
  return new AppError(
    'INVALID_STATE',
    `A client has this token. Reveal the login of its server.${where}`,
  )
}

/** Null if no VM is kept for it. */
function keptVmUntil(row: TokenRow, graceDays: number): Date | null {
  const isKept = row.status === 'expired' || row.status === 'cancelled'
  if (!isKept || row.assignedInstanceId === null) return null
  return keptUntil(row, graceDays) ?? null
}

/** The source of a new token's server: a template and an address, or an existing VM. */
async function stockFields(tx: Db, body: Create, deps: TokensDeps) {
  const place = await placeOf(tx, body.nodeId, deps)
  if (body.tokenType === 'ready') {
    const wanted = body.instanceId ?? body.assignedInstanceId ?? 0
    const { id, vmId } = await checkInstance(tx, wanted, place, deps)
    return { instanceId: id, proxmoxVmId: vmId }
  }
  const { ipAddress, templateId, macAddress } = body
  if (!ipAddress || !templateId) throw new AppError('INVALID_INPUT', 'Please select a template')
  await checkTemplate(tx, templateId, place, deps)
  await holdAddress(tx, ipAddress, place, deps)
  return { templateId, ipAddress, macAddress: macAddress ?? null }
}

/** The token's type and state decide what an edit may change (T9). */
async function changedFields(tx: Db, found: TokenRow, body: Update, deps: TokensDeps) {
  const refusal = editRefusal(found.status)
  if (refusal !== undefined) throw new AppError('INVALID_STATE', refusal)
  if (found.tokenType === 'ready') return {}
  const { ipAddress, templateId, nodeId } = body
  if (!ipAddress) throw new AppError('INVALID_INPUT', 'Invalid IP address')
  if (!templateId) throw new AppError('INVALID_INPUT', 'Please select a template')
  const macAddress = body.macAddress ?? null
  const next = { ipAddress, templateId, nodeId, macAddress }
  const isMoved = (Object.keys(next) as (keyof typeof next)[]).some(
    (key) => next[key] !== found[key],
  )
  if (!isMoved) return {}
  const place = await placeOf(tx, nodeId, deps)
  await checkTemplate(tx, templateId, place, deps)
  await holdAddress(tx, ipAddress, place, { ...deps, tokenId: found.id })
  // It gets another one with its sale, in the network it is in then.
  return { ...next, ipv6Address: null }
}

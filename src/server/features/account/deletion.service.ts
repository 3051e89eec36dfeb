import { and, eq, inArray } from 'drizzle-orm'
import type { z } from 'zod'
import type { AccountDeletion } from '#shared/api/people/account.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { decimal } from '#shared/rules/money/money.ts'
import type { Role } from '#shared/rules/people/roles.ts'
import { deleteAccount } from '../../accounts/delete-account.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { oneAtATime } from '../../db/one-at-a-time.ts'
import { users } from '../../db/schema/accounts.ts'
import { orders } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import { creditOf } from '../../ledger/credit.ts'
import type { Limiters } from '../../limits/limiters.ts'
import { createPasswordGate } from '../../limits/password-gate.ts'
import { isPassword } from '../../passwords/passwords.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import { exportAccount } from './export-account.ts'

type DeletionDeps = Pick<Deps, 'db' | 'clock' | 'config' | 'events' | 'keyring'> & {
  sessions: Sessions
  audit: Audit
  limiters: Limiters
}

export function deletionService(deps: DeletionDeps) {
  const { db, clock, config, events, sessions, audit } = deps
  const gate = createPasswordGate(deps.limiters)

  const stateOf = async (tx: Db, id: number) => ({
    servers: await tx.$count(tokens, and(eq(tokens.assignedUserId, id), isHeld)),
    creditCents: await creditOf(tx, id),
    openOrders: await tx.$count(orders, and(eq(orders.userId, id), isOpen)),
  })

  return {
    async preview({ user }: Actor) {
      const { servers, creditCents, openOrders } = await stateOf(db, user.id)
      return { servers, openOrders, credit: decimal(creditCents), keptDays: config.graceDays }
    },

    export: (actor: Actor) => exportAccount(deps, actor.user.id),

    /**
     * Permanent and immediate. Refused for administrators, whose actions must stay attributable.
     */
    async remove({ user }: Actor, body: z.output<typeof AccountDeletion>): Promise<void> {
      const { id } = user
      const [found] = await db.select().from(users).where(eq(users.id, id))
      await gate.pass(id, () => isPassword(found?.passwordHash, body.password))
      if (body.confirm !== user.username && body.confirm !== user.email) {
        throw new AppError('INVALID_INPUT', 'Type your username to confirm.')
      }
      await db.transaction(async (tx) => {
        await oneAtATime(tx)
        const [row] = await tx.select().from(users).where(eq(users.id, id)).for('update')
        if (!row) throw notFound('Account')
        if (row.role !== 'client') await refuseStaff(tx, row.role)
        const { creditCents, openOrders } = await stateOf(tx, id)
        if ((creditCents > 0 || openOrders > 0) && !body.giveUpMoney) {
          throw new AppError(
            'INVALID_STATE',
            `You have ${decimal(creditCents)} credit and ${openOrders} unfinished orders. ` +
              'Confirm that you give them up.',
          )
        }
        const { cancelledTokens } = await deleteAccount(tx, row, { sessions, clock })
        await events.emit(tx, 'admins', { type: 'changed', nouns: ['users'] })
        await audit.record(tx, undefined, {
          action: 'account.delete',
          target: `user:${id}`,
          details: { cancelledTokens },
        })
      })
    },
  }
}

const isHeld = inArray(tokens.status, ['pending', 'assigned', 'expired'])
const isOpen = inArray(orders.status, ['pending', 'paid', 'provisioning'])

async function refuseStaff(tx: Db, role: Role): Promise<never> {
  const admins = await tx.$count(users, and(eq(users.role, 'admin'), eq(users.isActive, true)))
  if (role === 'admin' && admins <= 1) {
    throw new AppError('LAST_ADMIN', 'At least one active administrator must remain.')
  }
  throw new AppError(
    'INVALID_STATE',
    'The record of what administrators did must stay. ' +
      'Ask another administrator to make this account a client first.',
  )
}

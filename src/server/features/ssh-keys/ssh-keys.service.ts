import { and, asc, count, eq, getTableColumns, sql } from 'drizzle-orm'
import type { z } from 'zod'
import { SSH_KEYS_MAX, type SshKeyCreate } from '#shared/api/people/ssh-keys.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { fingerprintOf, readPublicKey } from '#shared/rules/ssh/public-key.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { users } from '../../db/schema/accounts.ts'
import { serverKeys, sshKeys } from '../../db/schema/ssh-keys.ts'
import { instances } from '../../db/schema/stock.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'

type SshKeysDeps = Pick<Deps, 'db' | 'clock'> & { audit: Audit }

/** The ring of public keys of an account. */
export function sshKeysService({ db, clock, audit }: SshKeysDeps) {
  return {
    list: ({ user }: Actor) => ringOf(db, user.id),

    async add(actor: Actor, body: z.output<typeof SshKeyCreate>) {
      const userId = actor.user.id
      const reading = readPublicKey(body.publicKey)
      if (!reading.ok) throw new AppError('INVALID_INPUT', reading.sentence)
      const { type, publicKey } = reading.key
      const fingerprint = await fingerprintOf(publicKey)
      return await db.transaction(async (tx) => {
        await lockRing(tx, userId)
        refuseAnother(await ringOf(tx, userId), fingerprint)
        const [row] = await tx
          .insert(sshKeys)
          .values({ userId, name: body.name, type, publicKey, fingerprint, createdAt: clock.now() })
          .returning({ id: sshKeys.id })
        const added = (await ringOf(tx, userId)).find(({ id }) => id === row?.id)
        if (!added) throw new Error('the key was not stored')
        // Without the key: the log outlives the account, and a key can be known elsewhere.
        const target = `user:${userId}`
        await audit.record(tx, actor, { action: 'account.add-ssh-key', target })
        return added
      })
    },

    /** Servers made with it keep it: it is inside of them. */
    remove: (actor: Actor, id: number): Promise<void> =>
      db.transaction(async (tx) => {
        const userId = actor.user.id
        await lockRing(tx, userId)
        const [row] = await tx
          .delete(sshKeys)
          .where(and(eq(sshKeys.id, id), eq(sshKeys.userId, userId)))
          .returning()
        if (!row) throw notFound('SSH key')
        const target = `user:${userId}`
        await audit.record(tx, actor, { action: 'account.remove-ssh-key', target })
      }),
  }
}

/** The keys, oldest first, each with the number of the account's servers that have it. */
async function ringOf(tx: Db, userId: number) {
  const used = tx
    .select({ fingerprint: serverKeys.fingerprint, servers: count().as('servers') })
    .from(serverKeys)
    .innerJoin(instances, eq(instances.id, serverKeys.instanceId))
    .where(eq(instances.ownerId, userId))
    .groupBy(serverKeys.fingerprint)
    .as('used')
  return await tx
    .select({
      ...getTableColumns(sshKeys),
      servers: sql`coalesce(${used.servers}, 0)`.mapWith(Number),
    })
    .from(sshKeys)
    .leftJoin(used, eq(used.fingerprint, sshKeys.fingerprint))
    .where(eq(sshKeys.userId, userId))
    .orderBy(asc(sshKeys.id))
}

/**
 * Two additions at once are counted one after the other. A deletion of the account takes the same
 * lock before it removes the keys.
 */
async function lockRing(tx: Db, userId: number): Promise<void> {
  const [row] = await tx
    .select({ id: users.id })
    .from(users)
    .where(eq(users.id, userId))
    .for('update')
  if (!row) throw notFound('Account')
}

function refuseAnother(ring: Awaited<ReturnType<typeof ringOf>>, fingerprint: string): void {
  const same = ring.find((key) => key.fingerprint === fingerprint)
  if (same) throw new AppError('CONFLICT', `You already have this key: ${same.name}.`)
  if (ring.length >= SSH_KEYS_MAX) {
    throw new AppError(
      'CONFLICT',
      `An account has at most ${SSH_KEYS_MAX} SSH keys. Remove one that you no longer use.`,
    )
  }
}

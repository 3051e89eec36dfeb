import { and, eq, inArray } from 'drizzle-orm'
import type { z } from 'zod'
import type { OrderWishes } from '#shared/api/shop/orders.ts'
import { hasDuty } from '#shared/rules/people/roles.ts'
import { fingerprintOf } from '#shared/rules/ssh/public-key.ts'
import type { Db } from '../../db/database.ts'
import { sshKeys } from '../../db/schema/ssh-keys.ts'
import type { OrderRow } from '../../orders/orders.ts'
import { bytesIn } from '../../secrets/keyring.ts'
import type { Actor } from '../../sessions/actor.ts'

/**
 * What the client of an order chose, as operators may read it. A start-up script may contain
 * secrets, so only its size leaves; the keys themselves are for those who may give the order a VM.
 */
export async function wishesOf(
  db: Db,
  { userId, setup }: Pick<OrderRow, 'userId' | 'setup'>,
  { user }: Actor,
): Promise<z.input<typeof OrderWishes> | null> {
  if (setup === null) return null
  const { label = null, hostname = null, sshKeys: chosen = [], userData } = setup
  const names = await namesInRing(db, userId, chosen)
  const mayGive = hasDuty(user.role, 'money')
  return {
    label,
    hostname,
    sshKeys: await Promise.all(
      chosen.map(async (publicKey) => ({
        fingerprint: await fingerprintOf(publicKey),
        name: names.get(publicKey) ?? null,
        publicKey: mayGive ? publicKey : null,
      })),
    ),
    userData: userData ? { bytes: bytesIn(userData.sealed) } : null,
  }
}

/** Another account may have the same key, by a name of its own. */
async function namesInRing(db: Db, userId: number | null, keys: readonly string[]) {
  if (keys.length === 0 || userId === null) return new Map<string, string>()
  const rows = await db
    .select({ publicKey: sshKeys.publicKey, name: sshKeys.name })
    .from(sshKeys)
    .where(and(eq(sshKeys.userId, userId), inArray(sshKeys.publicKey, [...keys])))
  return new Map(rows.map(({ publicKey, name }) => [publicKey, name]))
}

import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Wishes } from '#shared/api/parts/wishes.ts'
import { AppError } from '#shared/errors.ts'
import { isWindows } from '#shared/rules/instance/system-of-template.ts'
import { userDataRefusal } from '#shared/rules/user-data/user-data.ts'
import type { Db } from '../db/database.ts'
import { orders, type ServerSetup } from '../db/schema/sales.ts'
import { sshKeys } from '../db/schema/ssh-keys.ts'
import { instances } from '../db/schema/stock.ts'
import type { Random } from '../lib/random.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { sealUserData } from './user-data.ts'

/** What is sold: some of it takes no keys and no hostname. */
type Sold = { osType: string; isReady: boolean }

const RUNS_ALREADY =
  'This server runs already, so it takes neither keys nor a hostname. Add your key inside it.'
const WINDOWS = 'Windows servers take no SSH keys. Choose none, and the server has a password.'

/**
 * The client's choices as the order keeps them, or undefined where nothing was chosen. The caller
 * holds the client's lock, so that of two orders at once the second sees the hostname of the first.
 */
export async function setupOf(
  tx: Db,
  userId: number,
  { label, hostname, sshKeyIds = [], userData }: Wishes,
  { osType, isReady }: Sold,
  secrets: { keyring: Keyring; random: Random },
): Promise<ServerSetup | undefined> {
  const takesKeys = sshKeyIds.length > 0
  if (isReady && (takesKeys || hostname !== undefined)) {
    throw new AppError('INVALID_INPUT', RUNS_ALREADY)
  }
  if (takesKeys && isWindows(osType)) throw new AppError('INVALID_INPUT', WINDOWS)
  const refusal = userData === undefined ? undefined : userDataRefusal({ osType, isReady })
  if (refusal !== undefined) throw new AppError('INVALID_INPUT', refusal)
  if (hostname !== undefined) await refuseTakenHostname(tx, userId, hostname)
  const keys = takesKeys ? await keysOf(tx, userId, sshKeyIds) : undefined
  const setup: ServerSetup = {
    ...(label !== undefined && { label }),
    ...(hostname !== undefined && { hostname }),
    ...(keys && { sshKeys: keys }),
    ...(userData !== undefined && { userData: sealUserData(userData, secrets) }),
  }
  return Object.keys(setup).length === 0 ? undefined : setup
}

export async function setupOfOrder(tx: Db, orderId: number): Promise<ServerSetup | null> {
  const [order] = await tx
    .select({ setup: orders.setup })
    .from(orders)
    .where(eq(orders.id, orderId))
  return order?.setup ?? null
}

/** Whether its server takes keys, and therefore has no password. */
export const hasKeys = ({ setup }: { setup: ServerSetup | null }): boolean =>
  (setup?.sshKeys?.length ?? 0) > 0

async function keysOf(tx: Db, userId: number, ids: number[]): Promise<string[]> {
  const wanted = [...new Set(ids)]
  const rows = await tx
    .select({ publicKey: sshKeys.publicKey })
    .from(sshKeys)
    .where(and(eq(sshKeys.userId, userId), inArray(sshKeys.id, wanted)))
    .orderBy(sshKeys.id)
  if (rows.length === wanted.length) return rows.map(({ publicKey }) => publicKey)
  throw new AppError(
    'INVALID_INPUT',
    'A key you chose is no longer among your SSH keys. Choose again.',
  )
}

const OPEN = ['pending', 'paid', 'provisioning'] as const

/** A hostname is unique within an account: among its servers, and those it has ordered. */
export async function isHostnameTaken(
  tx: Db,
  userId: number,
  hostname: string,
  except?: { instanceId: number },
): Promise<boolean> {
  const had = await tx
    .select({ id: instances.id })
    .from(instances)
    .where(and(eq(instances.ownerId, userId), eq(instances.hostname, hostname)))
  const ordered = await tx
    .select({ id: orders.id })
    .from(orders)
    .where(
      and(
        eq(orders.userId, userId),
        inArray(orders.status, [...OPEN]),
        sql`${orders.setup} ->> 'hostname' = ${hostname}`,
      ),
    )
    .limit(1)
  return had.some(({ id }) => id !== except?.instanceId) || ordered.length > 0
}

export async function refuseTakenHostname(
  ...given: Parameters<typeof isHostnameTaken>
): Promise<void> {
  if (await isHostnameTaken(...given)) throw hostnameTaken(given[2])
}

export const hostnameTaken = (hostname: string, cause?: unknown) =>
  new AppError('CONFLICT', `Another server of this account has the hostname ${hostname}.`, {
    cause,
  })

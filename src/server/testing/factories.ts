import { and, eq } from 'drizzle-orm'
import { takeUsername } from '../accounts/usernames.ts'
import { settleToken } from '../addresses/settle-addresses.ts'
import { users } from '../db/schema/accounts.ts'
import { instances, tokens } from '../db/schema/stock.ts'
import { randomId } from '../lib/random.ts'
import { hashPassword } from '../passwords/passwords.ts'
import type { Deps } from '../runtime/deps.ts'
import { tokenPassword } from '../secrets/sealed-columns.ts'

export const PASSWORD = 'correct horse battery'
let passwordHash: Promise<string> | undefined
let counter = 0

/** The password inside every VM a test makes: a canary that must never appear elsewhere. */
export const VM_PASSWORD = 'canary-of-the-vm'

type UserValues = Partial<typeof users.$inferInsert>
type TokenValues = Partial<typeof tokens.$inferInsert>

/** Creates rows as the product would. */
export function createFactories({
  db,
  clock,
  random,
  keyring,
}: Pick<Deps, 'db' | 'clock' | 'random' | 'keyring'>) {
  const user = async (values: UserValues) => {
    passwordHash ??= hashPassword(PASSWORD)
    const hash = await passwordHash
    return await db.transaction(async (tx) => {
      const username = await takeUsername(tx, random)
      const [row] = await tx
        .insert(users)
        .values({ username, passwordHash: hash, agreedToTerms: true, ...values })
        .returning()
      if (!row) throw new Error('no user was made')
      return row
    })
  }
  const token = async (values: TokenValues = {}) => {
    const tokenId = values.tokenId ?? randomId(random)
    const [row] = await db
      .insert(tokens)
      .values({
        tokenId,
        name: '2 CPU 4 GB RAM 40 GB SSD',
        username: 'root',
        password: keyring.seal(tokenPassword(tokenId), VM_PASSWORD),
        osType: 'Debian 12',
        status: 'available',
        ...values,
      })
      .returning()
    if (!row) throw new Error('no token was made')
    await db.transaction((tx) => settleToken(tx, row, clock.now()))
    return row
  }
  /** A VM of the cluster, assigned to a client with its own token. */
  const owned = async (cluster: { id: number }, vmId: number, owner: { id: number }) => {
    const [found] = await db
      .select({ id: instances.id })
      .from(instances)
      .where(and(eq(instances.clusterId, cluster.id), eq(instances.vmId, vmId)))
    if (!found) throw new Error(`the sync has not seen VM ${vmId}`)
    const assignedAt = new Date()
    const made = await token({
      status: 'assigned',
      assignedUserId: owner.id,
      assignedInstanceId: found.id,
      assignedAt,
      expiresAt: new Date(assignedAt.getTime() + 30 * 86_400_000),
      proxmoxVmId: vmId,
      monthlyPriceCents: 535,
    })
    const [instance] = await db
      .update(instances)
      .set({ ownerId: owner.id, tokenId: made.id })
      .where(eq(instances.id, found.id))
      .returning()
    if (!instance) throw new Error('the instance is gone')
    return { instance, token: made }
  }
  const nextEmail = (name: string) => {
    counter += 1
    return `${name}-${process.pid}-${counter}@example.test`
  }
  return {
    client: (values: UserValues = {}) => user({ role: 'client', ...values }),
    admin: (values: UserValues = {}) =>
      user({ role: 'admin', email: nextEmail('admin'), ...values }),
    email: nextEmail,
    token,
    owned,
  }
}

import { eq, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Login, Register } from '#shared/api/auth.ts'
import { AppError } from '#shared/errors.ts'
import { hashDevice } from '../../accounts/device-hash.ts'
import { truncateAddress } from '../../accounts/truncated-address.ts'
import { takeUsername } from '../../accounts/usernames.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { brokenConstraint } from '../../db/database.ts'
import { users } from '../../db/schema/accounts.ts'
import type { Deps } from '../../deps.ts'
import type { Limiters } from '../../limits/limiters.ts'
import { hashPassword, isPassword } from '../../passwords/passwords.ts'
import { randomPassword } from '../../random.ts'
import type { Actor } from '../../sessions/actor.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import { createLoginThrottle } from './login-throttle.ts'

type Visitor = { address: string; device: string }
type AuthDeps = Pick<Deps, 'db' | 'config' | 'keyring' | 'random' | 'clock'> & {
  sessions: Sessions
  audit: Audit
  limiters: Limiters
}

export function authService(deps: AuthDeps) {
  const { db, config, keyring, random, sessions, audit } = deps
  const throttle = createLoginThrottle(deps.limiters)

  return {
    /** An anonymous account: the only copy of its password goes out with this answer. */
    async register({ deviceMacAddress }: z.output<typeof Register>, visitor: Visitor) {
      const password = randomPassword(random)
      const passwordHash = await hashPassword(password)
      try {
        const username = await db.transaction(async (tx) => {
          const deviceHash =
            config.devicePolicy === 'strict'
              ? await hashDevice(tx, keyring, random, deviceMacAddress)
              : null
          const username = await takeUsername(tx, random)
          const [user] = await tx
            .insert(users)
            .values({
              username,
              passwordHash,
              deviceHash,
              agreedToTerms: true,
              registrationIp: truncateAddress(visitor.address),
            })
            .returning({ id: users.id })
          await audit.record(tx, undefined, { action: 'auth.register', target: `user:${user?.id}` })
          return username
        })
        return { username, generatedPassword: password }
      } catch (error) {
        if (brokenConstraint(error) === 'users_device') throw deviceTaken(error)
        throw error
      }
    },

    /** One answer and one amount of work for unknown, wrong and inactive (A4). */
    async login({ username, password }: z.output<typeof Login>, visitor: Visitor) {
      await throttle.check(visitor.address, username)
      const [user] = await db.select().from(users).where(byName(username)).limit(1)
      const isRight = await isPassword(user?.passwordHash, password)
      if (!user || !isRight || !user.isActive) {
        await throttle.failed(visitor.address, username)
        await db.transaction((tx) =>
          audit.record(tx, undefined, {
            action: 'auth.login-failed',
            ...(user ? { target: `user:${user.id}` } : {}),
          }),
        )
        throw new AppError('INVALID_CREDENTIALS', 'Invalid username/email or password.')
      }
      const session = await db.transaction(async (tx) => {
        const started = await sessions.start(tx, user, visitor.device)
        await audit.record(
          tx,
          { user, admin: undefined },
          { action: 'auth.login', target: `user:${user.id}`, details: { device: visitor.device } },
        )
        return started
      })
      return { user, session }
    },

    async logout(actor: Actor): Promise<void> {
      await db.transaction(async (tx) => {
        await sessions.end(tx, actor.sessionId)
        await audit.record(tx, actor, { action: 'auth.logout', target: `user:${actor.user.id}` })
      })
    },
  }
}

/** With an @ an e-mail, else a username. */
const byName = (name: string) =>
  name.includes('@') ? eq(sql`lower(${users.email})`, name.toLowerCase()) : eq(users.username, name)

const deviceTaken = (cause: unknown) =>
  new AppError(
    'DEVICE_ALREADY_REGISTERED',
    'This device already has an account. Only one account per device is allowed for security purposes.',
    { cause },
  )

import type { z } from 'zod'
import type { Login, Register } from '#shared/api/people/auth.ts'
import type { Proof } from '#shared/api/people/second-factor.ts'
import { AppError } from '#shared/errors.ts'
import { hashDevice } from '../../accounts/device-hash.ts'
import type { FailedLogins } from '../../accounts/failed-logins.ts'
import { findByName } from '../../accounts/find-by-name.ts'
import type { Recoveries } from '../../accounts/recoveries.ts'
import { truncateAddress } from '../../accounts/truncated-address.ts'
import { takeUsername } from '../../accounts/usernames.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { brokenConstraint, type Db } from '../../db/database.ts'
import { users } from '../../db/schema/accounts.ts'
import { randomPassword } from '../../lib/random.ts'
import type { Limiters } from '../../limits/limiters.ts'
import { createLoginThrottle } from '../../limits/login-throttle.ts'
import type { LimitedVisitor } from '../../limits/visitor.ts'
import { hashPassword, isPassword } from '../../passwords/passwords.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { SecondFactors } from '../../second-factor/second-factors.ts'
import type { Actor } from '../../sessions/actor.ts'
import type { Sessions } from '../../sessions/sessions.ts'

import { createRegistrationLimit } from './registration-limit.ts'

type Visitor = LimitedVisitor & { device: string }
type Factor = 'app' | 'recovery-code' | 'passkey'
type Device = { deviceHash: string | null; isLookAlike: boolean }
type AuthDeps = Pick<Deps, 'db' | 'config' | 'keyring' | 'random' | 'clock'> & {
  sessions: Sessions
  audit: Audit
  limiters: Limiters
  failures: FailedLogins
  secondFactors: SecondFactors
  recoveries: Recoveries
}

export function authService(deps: AuthDeps) {
  const { db, config, keyring, random, sessions, audit, failures } = deps
  const { secondFactors, recoveries } = deps
  const { passkeys } = secondFactors
  const throttle = createLoginThrottle(deps.limiters)
  const registrations = createRegistrationLimit(deps.limiters, config.registrationsPerDay)
  /** Records for operators that registrations are being refused. */
  const tellFull = () =>
    db.transaction((tx) => audit.record(tx, undefined, { action: 'auth.registration-full' }))

  const deviceOf = async (device: string): Promise<Device> => ({
    deviceHash:
      config.devicePolicy === 'off'
        ? null
        : await db.transaction((tx) => hashDevice(tx, keyring, random, device)),
    isLookAlike: false,
  })

  /** A wrong code or passkey counts as a failed sign-in, which the owner sees. */
  const signInWithProof = async <T>(
    userId: number,
    { code = '', passkey }: Proof,
    start: (tx: Db, used: Factor) => Promise<T>,
  ): Promise<T> => {
    try {
      if (!passkey) return await secondFactors.use({ userId, door: 'sign-in' }, code, start)
      return await passkeys.use({ use: 'sign-in', userId }, passkey, (tx) => start(tx, 'passkey'))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      await failures.count(userId)
      if (error.code !== 'INVALID_INPUT') throw error
      throw new AppError('INVALID_CREDENTIALS', error.message, { cause: error })
    }
  }

  /** The password was right. An account with a passkey is asked to sign at once. */
  const proofMissing = async (userId: number): Promise<AppError> => {
    const passkey = await passkeys.ask({ use: 'sign-in', userId })
    return new AppError(
      'SECOND_FACTOR_REQUIRED',
      'Enter the code of your authenticator app, or a recovery code.',
      { status: 401, details: { reason: 'sign-in', ...(passkey && { passkey }) } },
    )
  }

  return {
    /** Creates an anonymous account: the only copy of its password is in this answer. */
    async register({ deviceMacAddress }: z.output<typeof Register>, visitor: Visitor) {
      await registrations.enter(visitor, tellFull)
      const password = randomPassword(random)
      const passwordHash = await hashPassword(password)
      const values = {
        passwordHash,
        agreedToTerms: true,
        // An onion service sees only its own address, not its visitors'.
        registrationIp: visitor.isOnion ? null : truncateAddress(visitor.address),
      }
      const insert = (device: Device) =>
        db.transaction(async (tx) => {
          const username = await takeUsername(tx, random)
          const [user] = await tx
            .insert(users)
            .values({ ...values, ...device, username })
            .returning({ id: users.id })
          await audit.record(tx, undefined, { action: 'auth.register', target: `user:${user?.id}` })
          return username
        })
      const device = await deviceOf(deviceMacAddress)
      try {
        return { username: await insert(device), generatedPassword: password }
      } catch (error) {
        if (brokenConstraint(error) !== 'users_device') throw error
        if (config.devicePolicy !== 'trial') throw deviceTaken(error)
        const username = await insert({ deviceHash: null, isLookAlike: true })
        return { username, generatedPassword: password }
      }
    },

    /** The same answer and the same amount of work for unknown, wrong and inactive (A4). */
    async login({ username, password, ...proof }: z.output<typeof Login>, visitor: Visitor) {
      await throttle.enter(visitor, username)
      const user = await recoveries.withDue(() => findByName(db, username))
      const isRight = await isPassword(user?.passwordHash, password)
      if (!user || !isRight || !user.isActive) {
        await failures.count(user?.id)
        throw new AppError('INVALID_CREDENTIALS', 'Invalid username/email or password.')
      }
      const hasSecondFactor = await secondFactors.isOn(user.id)
      if (hasSecondFactor && proof.code === undefined && proof.passkey === undefined) {
        await throttle.succeeded(visitor, username)
        throw await proofMissing(user.id)
      }
      const start = async (tx: Db, used?: Factor) => {
        const { device } = visitor
        const session = await sessions.start(tx, user, device, { hasProof: hasSecondFactor })
        await audit.record(
          tx,
          { user, admin: undefined },
          {
            action: 'auth.login',
            target: `user:${user.id}`,
            details: { device, ...(used && { secondFactor: used }) },
          },
        )
        return session
      }
      const session = hasSecondFactor
        ? await signInWithProof(user.id, proof, start)
        : await db.transaction((tx) => start(tx))
      await throttle.succeeded(visitor, username)
      return { user, session, hasSecondFactor }
    },

    async logout(actor: Actor): Promise<void> {
      await db.transaction(async (tx) => {
        await sessions.end(tx, actor.sessionId)
        await audit.record(tx, actor, { action: 'auth.logout', target: `user:${actor.user.id}` })
      })
    },
  }
}

const deviceTaken = (cause: unknown) =>
  new AppError(
    'DEVICE_ALREADY_REGISTERED',
    'This device already has an account. Only one account per device is allowed for security purposes.',
    { cause },
  )

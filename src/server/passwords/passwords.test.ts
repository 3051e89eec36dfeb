import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { seed } from '../first-start/seed.ts'
import { asGenerated, randomPassword, systemRandom } from '../lib/random.ts'
import { PASSWORD } from '../testing/factories.ts'
import { ADMIN } from '../testing/server-process.ts'
import { testApp } from '../testing/test-app.ts'
import { testDb } from '../testing/test-db.ts'
import { COMMON_PASSWORD, isCommonPassword } from './common-passwords.ts'

describe('common passwords', async () => {
  const t = await testApp()

  test.each([
    'password',
    'Password',
    '12345678',
    'QWERTYUIOP',
    ' iloveyou ',
    'football',
    'password1',
  ])('include %j', (password) => expect(isCommonPassword(password)).toBe(true))

  test('rarely match others: at most a few of 200 000 random ones', () => {
    const wrong = Array.from({ length: 200_000 }, () => randomBytes(9).toString('base64')).filter(
      isCommonPassword,
    )
    // Expected 0.47; five or more happen once in 3000 runs.
    expect(wrong.length).toBeLessThan(5)
    for (const own of [PASSWORD, ADMIN.password]) expect(isCommonPassword(own)).toBe(false)
    expect(isCommonPassword(randomPassword(systemRandom))).toBe(false)
  })

  test('are refused everywhere, with a sentence', async () => {
    const admin = t.as(await t.make.admin())
    const refused = { status: 400, body: { code: 'INVALID_INPUT', message: COMMON_PASSWORD } }
    const person = {
      firstName: 'Ada',
      lastName: 'Byron',
      email: 'common@example.test',
      mobileNumber: '0123456789',
      agreedToTerms: true,
      password: 'Password1',
    } as const
    expect(await admin.attempt(api.users.create, { body: person })).toMatchObject(refused)
    const client = { email: 'common@example.test', password: 'football' }
    expect(await admin.attempt(api.users.createClient, { body: client })).toMatchObject(refused)
    const change = { currentPassword: PASSWORD, newPassword: 'iloveyou' }
    const me = t.as(await t.make.client())
    expect(await me.attempt(api.account.changePassword, { body: change })).toMatchObject(refused)
  })

  test('are refused for the first administrator', async () => {
    const { db, close } = await testDb('embedded')
    const config = { adminEmail: 'boss@example.test', adminPassword: 'password' }
    await expect(seed(db, config, systemRandom)).rejects.toThrow(
      /ADMIN_PASSWORD is one of the most/,
    )
    await close()
  })
})

describe('a generated password', async () => {
  const t = await testApp()

  test('ignores case, spaces and hyphens, and look-alike letters', async () => {
    const made = await t.visitor.call(api.auth.register, {
      body: { agreedToTerms: true, deviceMacAddress: '00:00:00:00:00:01' },
    })
    const { username, generatedPassword: password } = made
    const bare = password.replaceAll('-', '')
    const typed = [
      password,
      bare,
      bare.toLowerCase(),
      ` ${password.replaceAll('-', ' ')} `,
      bare.toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l'),
    ]
    for (const one of typed) {
      const answer = await t.visitor.attempt(api.auth.login, { body: { username, password: one } })
      expect([one.length, answer.status]).toEqual([one.length, 200])
    }
    const wrong = await t.visitor.attempt(api.auth.login, {
      body: { username, password: bare.slice(1) },
    })
    expect(wrong.status).toBe(401)
  })

  test('is recognised by its form, and a chosen one counts as typed', async () => {
    expect(asGenerated('correct horse battery')).toBeUndefined()
    expect(asGenerated('7K2QD-M4XYA')).toBeUndefined()
    const client = await t.make.client()
    const answer = await t.visitor.attempt(api.auth.login, {
      body: { username: client.username, password: PASSWORD.toUpperCase() },
    })
    expect(answer.status).toBe(401)
  })
})

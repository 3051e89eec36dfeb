import { describe, expect, test } from 'vitest'
import { testApp } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { createLimiters } from './limiters.ts'
import { createPasswordGate } from './password-gate.ts'

const right = async () => true
const wrong = async () => false

describe.each(BOTH_DATABASES)('asking for the password again, on %s', async (database) => {
  const t = await testApp({ database, env: { RATE_LIMIT_SCALE: '1' } })
  const gate = createPasswordGate(createLimiters(t.deps))

  test('refuses the ninth attempt after eight wrong ones, even a right one, for minutes', async () => {
    for (let n = 0; n < 8; n += 1) {
      await expect(gate.pass(1, wrong)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    }
    let isAsked = false
    const asked = gate.pass(1, async () => {
      isAsked = true
      return true
    })
    await expect(asked).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
    await expect(asked).rejects.toThrow(/^Too many wrong passwords\. Try again in \d+ minutes\.$/)
    expect(isAsked).toBe(false)
  })

  test('counts each account by itself, and no right password', async () => {
    for (let n = 0; n < 7; n += 1) {
      await expect(gate.pass(2, wrong)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    }
    for (let n = 0; n < 5; n += 1) await gate.pass(2, right)
    await gate.pass(3, right)
    await expect(gate.pass(2, wrong)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    await expect(gate.pass(2, right)).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
    await gate.pass(3, right)
  })
})

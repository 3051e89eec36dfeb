import { expect, test } from 'vitest'
import { Register } from '#shared/api/people/auth.ts'
import { deviceIdFrom, isDeviceId } from './device-id.ts'

const hash = 'A1b2c3d4e5f60718293a4b5c6d7e8f90'

test('the first twelve digits become pairs', () => {
  expect(deviceIdFrom(hash)).toBe('a1:b2:c3:d4:e5:f6')
})

test('the server accepts a generated id', () => {
  const body = { agreedToTerms: true, deviceMacAddress: deviceIdFrom(hash) }
  expect(Register.safeParse(body).success).toBe(true)
})

test.each([null, '', 'a1:b2', 'A1:B2:C3:D4:E5:F6', 'a1:b2:c3:d4:e5:f6:07'])(
  '%j is not a device id',
  (value) => {
    expect(isDeviceId(value)).toBe(false)
  },
)

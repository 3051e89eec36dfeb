import { describe, expect, test } from 'vitest'
import { ApiError } from '../../api/api-error.ts'
import {
  certificateIn,
  changesBody,
  checkChanges,
  checkConnection,
  EMPTY_CONNECTION,
  fingerprintGroups,
} from './cluster-form.ts'

const filled = {
  ...EMPTY_CONNECTION,
  name: 'Home',
  host: 'pve.example',
  username: 'vps@pve!app',
  password: 'secret',
}

const fingerprint = Array.from({ length: 32 }, () => 'AB').join(':')

describe('the connection form', () => {
  test('starts at port 8006', () => {
    expect(EMPTY_CONNECTION.port).toBe('8006')
    expect(checkConnection(filled).success).toBe(true)
  })

  test.each([
    ['name', 'Cluster name is required'],
    ['host', 'Host is required'],
    ['port', 'Port must be a number from 1 to 65535'],
    ['username', 'Username is required'],
    ['password', 'Password is required'],
  ])('%s is required', (field, sentence) => {
    const result = checkConnection({ ...filled, [field]: '' })
    expect(result.error?.issues[0]?.message).toBe(sentence)
  })

  test('keeps the stored password where none is typed', () => {
    const fields = { ...filled, password: '' }
    expect(checkChanges(fields).success).toBe(true)
    expect(changesBody(fields)).not.toHaveProperty('password')
    expect(changesBody(filled)).toHaveProperty('password', 'secret')
  })
})

describe('an untrusted certificate', () => {
  const failure = (details: unknown) =>
    new ApiError(422, '422', { code: 'CERTIFICATE_UNTRUSTED', message: 'Compare', details })

  test('is read from the failure', () => {
    expect(certificateIn(failure({ fingerprint, subject: 'pve1' }))).toEqual({
      fingerprint,
      subject: 'pve1',
      issuer: undefined,
      validTo: undefined,
    })
  })

  test('is not found in other failures', () => {
    expect(certificateIn(failure(null))).toBeUndefined()
    expect(certificateIn(failure({}))).toBeUndefined()
    expect(certificateIn(new Error('no'))).toBeUndefined()
  })

  test('is shown in eight groups of four pairs', () => {
    const groups = fingerprintGroups(fingerprint)
    expect(groups).toHaveLength(8)
    expect(groups[0]).toBe('AB:AB:AB:AB')
    expect(groups.join(':')).toBe(fingerprint)
  })
})

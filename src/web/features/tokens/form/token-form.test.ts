import { describe, expect, test } from 'vitest'
import type { Token } from '#shared/api/shop/tokens.ts'
import { fieldErrors } from '../../../lib/forms/zod-resolver.ts'
import {
  checkCreate,
  checkDuplicate,
  checkUpdate,
  clearedByType,
  copyOf,
  createBody,
  duplicateBody,
  EMPTY_TOKEN,
  fieldsOf,
  type TokenFields,
  updateBody,
} from './token-form.ts'

const good: TokenFields = {
  ...EMPTY_TOKEN,
  name: 'quiet-harbour',
  nodeId: '2',
  templateId: '5',
  ipAddress: '203.0.113.24',
  monthlyPrice: '5.00',
  username: 'debian',
  password: 'correct horse',
  osType: 'Debian 12',
}
const ready: TokenFields = {
  ...good,
  tokenType: 'ready',
  ...clearedByType('ready'),
  instanceId: '9',
}

const sentences = (check: ReturnType<typeof checkUpdate>) => {
  const errors = fieldErrors<TokenFields>(check.success ? [] : check.error.issues)
  return Object.fromEntries(Object.entries(errors).map(([name, error]) => [name, error?.message]))
}

const BY_TYPE =
  'IP address and template are required for IP/MAC tokens, instance is required for Ready tokens'

describe('create', () => {
  test('an empty form shows every sentence at once', () => {
    expect(sentences(checkCreate(EMPTY_TOKEN))).toEqual({
      name: 'Token name is required',
      tokenType: BY_TYPE,
      nodeId: 'Please select a node',
      monthlyPrice: 'Price must be a valid positive number',
      username: 'Username is required',
      password: 'Password is required',
      osType: 'Please select an OS type',
    })
  })

  test('each type requires its own fields', () => {
    expect(sentences(checkCreate(good))).toEqual({})
    expect(sentences(checkCreate(ready))).toEqual({})
    expect(sentences(checkCreate({ ...good, templateId: '' }))).toEqual({ tokenType: BY_TYPE })
    expect(sentences(checkCreate({ ...good, ipAddress: '' }))).toEqual({ tokenType: BY_TYPE })
    expect(sentences(checkCreate({ ...ready, instanceId: '' }))).toEqual({ tokenType: BY_TYPE })
  })

  test.each([
    ['macAddress', 'not a mac', 'Invalid MAC address format'],
    ['monthlyPrice', '-1', 'Price must be a valid positive number'],
    ['durationDays', '0', 'Duration must be a valid positive number'],
    ['durationDays', '', 'Duration must be a valid positive number'],
  ])('%s %j is refused', (name, value, sentence) => {
    expect(sentences(checkCreate({ ...good, [name]: value }))).toEqual({ [name]: sentence })
  })

  test('the body contains no field of the other type', () => {
    expect(createBody({ ...ready, ipAddress: '203.0.113.9', templateId: '5' })).toMatchObject({
      instanceId: 9,
      templateId: null,
      ipAddress: null,
      macAddress: null,
    })
    expect(createBody({ ...good, instanceId: '9' })).toMatchObject({
      instanceId: null,
      templateId: 5,
      ipAddress: '203.0.113.24',
      macAddress: null,
      clientIpAddress: null,
      domain: null,
    })
  })
})

test('choosing a type clears the fields of the other one', () => {
  expect(clearedByType('ready')).toEqual({ ipAddress: '', macAddress: '', templateId: '' })
  expect(clearedByType('ip_mac')).toEqual({ instanceId: '' })
})

const token: Token = {
  id: 1,
  tokenId: 'tok_1',
  name: 'quiet-harbour',
  status: 'available',
  tokenType: 'ip_mac',
  osType: 'Debian 12',
  durationDays: 30,
  monthlyPrice: '5.00',
  ipAddress: '203.0.113.24',
  clientIpAddress: null,
  macAddress: 'BC:24:11:AA:BB:CC',
  domain: 'box.example.org',
  username: 'debian',
  nodeId: 2,
  templateId: 5,
  instanceId: null,
  billingPlanId: null,
  proxmoxVmId: null,
  assignedUserId: null,
  assignedInstanceId: null,
  assignedAt: null,
  expiresAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  problem: null,
  keptUntil: null,
}

describe('edit', () => {
  test('sends the specified fields, and no password where none was typed', () => {
    expect(updateBody(fieldsOf(token))).not.toHaveProperty('password')
    expect(updateBody({ ...fieldsOf(token), password: 'old' })).toEqual({
      name: 'quiet-harbour',
      ipAddress: '203.0.113.24',
      macAddress: 'BC:24:11:AA:BB:CC',
      username: 'debian',
      password: 'old',
      osType: 'Debian 12',
      nodeId: 2,
      templateId: 5,
    })
  })

  test('requires address and template of an IP/MAC token only', () => {
    const bare = { ...fieldsOf(token), ipAddress: '', templateId: '' }
    expect(sentences(checkUpdate(bare))).toEqual({
      ipAddress: 'Invalid IP address',
      templateId: 'Please select a template',
    })
    expect(sentences(checkUpdate({ ...bare, tokenType: 'ready' }))).toEqual({})
    expect(sentences(checkUpdate({ ...bare, templateId: '5', ipAddress: '300.1.1.1' }))).toEqual({
      ipAddress: 'Invalid IP address',
    })
  })
})

describe('duplicate', () => {
  test('omits values that must be unique', () => {
    expect(copyOf(token, 'new')).toMatchObject({
      name: 'quiet-harbour (Copy)',
      ipAddress: '',
      macAddress: '',
      domain: '',
      password: 'new',
      templateId: '5',
      monthlyPrice: '5.00',
    })
  })

  test('an empty price is free, and an empty duration is 30 days', () => {
    const body = duplicateBody({ ...good, monthlyPrice: '', durationDays: 'a while' })
    expect(body).toMatchObject({ monthlyPrice: '0', durationDays: 30 })
    expect(sentences(checkDuplicate({ ...good, monthlyPrice: '', durationDays: '' }))).toEqual({})
  })

  test('sends the instance under its other name', () => {
    const body = duplicateBody(ready)
    expect(body).toMatchObject({ assignedInstanceId: 9, domain: null })
    expect(body).not.toHaveProperty('instanceId')
    expect(sentences(checkDuplicate(ready))).toEqual({})
  })

  test('has its own sentence for the system', () => {
    expect(sentences(checkDuplicate({ ...good, osType: '' }))).toEqual({
      osType: 'OS type is required',
    })
  })
})

import { expect, test } from 'vitest'
import { backupRefusal } from './backups.ts'

test('says why no more backups can be made', () => {
  const hasStorage = true
  expect(backupRefusal(0, { limit: 0, hasStorage })).toContain('not part of this package')
  expect(backupRefusal(0, { limit: 2, hasStorage: false })).toContain('not set up here yet')
  expect(backupRefusal(1, { limit: 2, hasStorage })).toBeUndefined()
  expect(backupRefusal(1, { limit: 1, hasStorage })).toContain('The one backup')
  const isUnderWay = true
  expect(backupRefusal(1, { limit: 2, hasStorage, isUnderWay })).toContain('waits for its turn')
  expect(backupRefusal(3, { limit: 2, hasStorage })).toContain('All 2 backups')
})

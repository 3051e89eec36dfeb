import { describe, expect, test } from 'vitest'
import { checkSettings, fieldsOf, settingsOf } from './settings-form.ts'

const settings = {
  vmIdRange: { first: 1000, last: 1999 },
  pool: 'customers',
  storage: null,
  cloneMode: 'full' as const,
  directConsole: false,
  backupStorage: 'backups',
  guestAgent: false,
}

describe('the settings of a cluster', () => {
  test('a loaded record can be sent back unchanged', () => {
    expect(settingsOf(fieldsOf(settings))).toEqual(settings)
    expect(checkSettings(fieldsOf(settings)).success).toBe(true)
  })

  test.each([
    [{ firstVmId: '' }, 'firstVmId', 'VM id must be a whole number'],
    [{ firstVmId: '1' }, 'firstVmId', 'VM ids lie between 100 and 999999999'],
    [{ lastVmId: '500' }, 'lastVmId', 'The first VM id must be smaller than the last'],
  ])('%o is refused', (change, path, message) => {
    expect(checkSettings({ ...fieldsOf(settings), ...change })).toMatchObject({
      error: { issues: expect.arrayContaining([{ path: [path], message }]) },
    })
  })
})

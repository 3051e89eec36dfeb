import { describe, expect, test } from 'vitest'
import type { ChangePreview } from '#shared/api/shop/package-change.ts'
import { costWords, effectWords, plannedWords } from './change-words.ts'

const preview: ChangePreview = {
  now: '1.83',
  // biome-ignore lint/suspicious/noThenProperty: the name is published, and a text is no thenable
  then: '9.00',
  from: '2026-03-01T12:00:00.000Z',
  days: 12,
  needsRestart: true,
  time: 'at-once',
}

describe('a change of the package in words', () => {
  test('says what it costs now and later', () => {
    expect(costWords(preview)).toBe('now +$1.83 for 12 days, then $9.00 a month')
    expect(costWords({ ...preview, days: 0 })).toBe('then $9.00 a month')
    expect(costWords({ ...preview, time: 'at-renewal' })).toMatch(
      /^nothing now, \$9\.00 a month from .*2026/,
    )
  })

  test('says when the server stops', () => {
    expect(effectWords(preview)).toContain('need a stop and a start')
    expect(effectWords({ ...preview, needsRestart: false })).toContain('keeps running')
    expect(effectWords({ ...preview, time: 'at-renewal' })).toContain('stopped and started once')
    const without = { ...preview, time: 'at-renewal', needsRestart: false } as const
    expect(effectWords(without)).not.toContain('stopped')
  })

  test('says what is planned, and from when on', () => {
    const size = { cpu: 1, ramGb: 1, diskGb: 20, diskKind: 'SSD' } as const
    const planned = { id: 'small', name: 'Small', price: '3.00', size, from: null }
    expect(plannedWords(planned)).toBe('Small for $3.00 a month, from the next renewal on')
    expect(plannedWords({ ...planned, from: preview.from })).toMatch(/a month, from .*2026/)
  })
})

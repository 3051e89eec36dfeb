import { describe, expect, test } from 'vitest'
import { lostWith, quotaRefusal, roomRefusal } from './snapshots.ts'

const GIB = 1024 ** 3
const room = (used: number) => ({ storage: 'local-lvm', used: used * GIB, total: 100 * GIB })

describe('a snapshot', () => {
  test('needs 15 % of its storage free', () => {
    expect(roomRefusal(room(0))).toBeUndefined()
    expect(roomRefusal(room(85))).toBeUndefined()
    expect(roomRefusal(room(85.5))).toBe(
      'The storage of this server has only 14 % free; a snapshot needs at least 15 %. Delete snapshots, or ask the operator.',
    )
    expect(roomRefusal(room(120))).toContain('only 0 % free')
    expect(roomRefusal({ storage: 'gone', used: 0, total: 0 })).toContain('only 0 % free')
  })

  test('needs a place in the quota', () => {
    expect(quotaRefusal(1, 2)).toBeUndefined()
    expect(quotaRefusal(2, 2)).toBe('All 2 snapshots of this server are taken. Delete one first.')
    expect(quotaRefusal(1, 1)).toBe('The one snapshot of this server is taken. Delete it first.')
    expect(quotaRefusal(0, 0)).toBe('Snapshots are not part of this package.')
  })

  const taken = (id: number, day: number, volume = 'disk-0') => ({
    id,
    takenAt: new Date(Date.UTC(2026, 0, day)),
    volume,
  })
  const all = [taken(1, 1), taken(2, 2), taken(3, 3), taken(4, 4, 'disk-1')]

  test('costs the newer ones of its disk where the storage knows only the newest', () => {
    expect(lostWith(taken(2, 2), all, true).map(({ id }) => id)).toEqual([3])
    expect(lostWith(taken(1, 1), all, true).map(({ id }) => id)).toEqual([2, 3])
    expect(lostWith(taken(4, 4, 'disk-1'), all, true)).toEqual([])
    expect(lostWith(taken(1, 1), all, false)).toEqual([])
  })
})

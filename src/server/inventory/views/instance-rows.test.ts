import { expect, test } from 'vitest'
import type { Actor } from '../../sessions/actor.ts'
import { isVisibleTo } from './instance-rows.ts'

const actor = (more: object) => ({ user: { id: 7, role: 'client' }, ...more }) as Actor
const boundTo = (instanceIds: number[] | null) =>
  actor({ key: { id: 1, scopes: ['servers:read'], instanceIds } })

test.each([
  ['its owner', actor({}), 3, 7, true],
  ['another client', actor({}), 3, 8, false],
  ['a client, of a VM without an owner', actor({}), 3, null, false],
  ['a key that is bound to it', boundTo([3]), 3, 7, true],
  ['a key that is bound to another server', boundTo([4]), 3, 7, false],
  ['a key for every server', boundTo(null), 3, 7, true],
  ['a key of another client, bound to it', boundTo([3]), 3, 8, false],
])(
  'a server that was read for everyone is shown to %s as it should',
  (_who, who, id, ownerId, isShown) => {
    expect(isVisibleTo(who, { id, ownerId })).toBe(isShown)
  },
)

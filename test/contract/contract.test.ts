import { expect, test } from 'vitest'
import { presentFacts, readBaseline } from './baseline.ts'
import { breakingChanges } from './breaking-changes.ts'
import { SPECIFIED_CALLS } from './specified-calls.ts'

test('every call of the specification is held to what programs know of it', () => {
  expect(Object.keys(readBaseline()).toSorted()).toEqual(SPECIFIED_CALLS.toSorted())
})

// An intended change: `npm run api:accept`, the file it writes, and a line in the changelog.
test('no call of the specification has changed in a way that breaks a program', () => {
  expect(breakingChanges(readBaseline(), presentFacts())).toEqual([])
})

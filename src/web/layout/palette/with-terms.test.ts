import { expect, test } from 'vitest'
import { POWER_ACTS, powerRefusal } from '#shared/rules/instance/instance-power.ts'
import { withTerms } from './with-terms.ts'

const server = { id: 1, name: 'mail', vmId: 101, status: 'stopped', tokenId: 7 }
const offered = (status: 'assigned' | 'expired') =>
  withTerms([server], [{ id: 7, status }])?.map((instance) =>
    POWER_ACTS.filter((act) => powerRefusal({ ...instance, isOwner: true }, act) === undefined),
  )

test('a client is not offered to start a server whose time is over', () => {
  expect(offered('assigned')).toEqual([['start']])
  expect(offered('expired')).toEqual([[]])
})

test('a server without a token, or before the tokens are known, keeps what its state allows', () => {
  const other = { ...server, tokenId: null }
  expect(withTerms([other], [{ id: 7, status: 'expired' }])).toEqual([{ ...other, term: null }])
  expect(withTerms([server], undefined)).toEqual([{ ...server, term: null }])
  expect(withTerms(undefined, [])).toBeUndefined()
})

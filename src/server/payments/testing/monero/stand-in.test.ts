import { afterAll, expect, test } from 'vitest'
import { converse, shapeOf } from './conversation.ts'
import { startMonero } from './monero-stand-in.ts'
import { recorded } from './recorded.ts'

const stand = await startMonero()
afterAll(() => stand.close())
const lose = async () => {
  stand.own.hasNoDaemon = true
}
const exchanges = await converse(stand, { restore: async () => stand.restore(), lose })
const real = recorded()

test('the same was asked when the real wallet was recorded', () => {
  expect(exchanges.map(({ what, method }) => [what, method])).toEqual(
    real.exchanges.map(({ what, method }) => [what, method]),
  )
})

test.each(exchanges.map(({ what, answer }, at) => [what, answer, at] as const))(
  'to %s, the stand-in answers as the real wallet did',
  (_, answer, at) => {
    expect(shapeOf(answer)).toEqual(shapeOf(real.exchanges[at]?.answer))
  },
)

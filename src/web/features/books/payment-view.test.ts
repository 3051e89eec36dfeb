import { expect, test } from 'vitest'
import { setValues } from '../../lib/paths/view-values.ts'
import { readPaymentView } from './payment-view.ts'

const asked = (text: string) => setValues(readPaymentView(new URLSearchParams(text)))

test('the address decides which payments are requested', () => {
  expect(asked('provider=stripe&state=paid&q=%20cs_1&before=90&from=2026-02-01')).toEqual({
    provider: 'stripe',
    state: 'paid',
    q: 'cs_1',
    before: 90,
    from: '2026-02-01',
  })
})

test('values that the server would refuse are dropped', () => {
  expect(asked('provider=<b>&state=gone&q=%20&before=-1&to=2026-02-30')).toEqual({})
})

import { expect, test } from 'vitest'
import { walletLink } from './checkout.ts'

test('a wallet link opens a wallet and runs nothing', () => {
  expect(walletLink('bitcoin:bc1q?amount=0.1')).toBe('bitcoin:bc1q?amount=0.1')
  expect(walletLink('lightning:lnbc1')).toBe('lightning:lnbc1')
  expect(walletLink('JavaScript:alert(1)')).toBeUndefined()
  expect(walletLink('data:text/html,x')).toBeUndefined()
  expect(walletLink('bc1q')).toBeUndefined()
})

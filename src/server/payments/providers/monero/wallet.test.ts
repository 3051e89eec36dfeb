import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { LOGIN } from '../../testing/monero/monero-chain.ts'
import { startMonero } from '../../testing/monero/monero-stand-in.ts'
import { digestAnswer } from './digest.ts'
import { moneroWallet } from './wallet.ts'
import { walletClient } from './wallet-client.ts'

const stand = await startMonero()
afterAll(() => stand.close())
const at = (login: string, walletUrl = stand.url) =>
  moneroWallet(walletClient({ walletUrl, login, rate: { fixed: '1' } }))
const wallet = at(LOGIN)

beforeEach(() => {
  Object.assign(stand.faults, { isAway: false, isBusy: false, nonsense: undefined })
  Object.assign(stand.own, { hasNoWallet: false, hasNoDaemon: false, canSpend: false })
})

describe('the way in to a wallet', () => {
  test('answers the challenge of the RFC', () => {
    const challenge = 'Digest realm="a, b", qop="auth", algorithm=MD5, nonce="n=="'
    const header = digestAnswer(challenge, 'me:with:colon', { method: 'POST', path: '/json_rpc' })
    expect(header).toMatch(
      /^Digest username="me", realm="a, b", nonce="n==", uri="\/json_rpc", cnonce="[0-9a-f]{32}", response="[0-9a-f]{32}", algorithm=MD5, qop=auth, nc=00000001$/,
    )
  })

  test.each([
    undefined,
    'Basic realm="x"',
    'Digest realm="x"',
    'Digest algorithm=SHA-256,nonce="n",realm="r"',
  ])('gives up on the challenge %s', (challenge) => {
    expect(digestAnswer(challenge, LOGIN, { method: 'POST', path: '/' })).toBeUndefined()
  })

  test('is closed to a wrong password, and the failure does not quote it', async () => {
    const failure = await at('hushbox:wrong-password')
      .height()
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ fault: 'refused', code: 'PAYMENT_UNAVAILABLE' })
    expect(String((failure as Error).cause)).not.toContain('wrong-password')
  })

  test.each([
    ['http://203.0.113.7:18083', 'https://'],
    ['http://169.254.169.254', 'metadata'],
  ])('does not lead to %s', async (url, reason) => {
    const failure = await at(LOGIN, url)
      .height()
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ fault: 'unreachable' })
    expect(String((failure as Error).cause)).toContain(reason)
  })
})

describe('a wallet', () => {
  test('is told from a wallet that can spend without asking for a key', async () => {
    expect(await wallet.isViewOnly()).toBe(true)
    stand.own.canSpend = true
    expect(await wallet.isViewOnly()).toBe(false)
    expect(stand.asked.some(({ body }) => body.includes('query_key'))).toBe(false)
  })

  test.each([
    ['away', () => Object.assign(stand.faults, { isAway: true }), 'unreachable'],
    ['busy', () => Object.assign(stand.faults, { isBusy: true }), 'unreachable'],
    ['without a wallet file', () => Object.assign(stand.own, { hasNoWallet: true }), 'refused'],
    ['without its daemon', () => Object.assign(stand.own, { hasNoDaemon: true }), 'unreachable'],
    ['something else', () => Object.assign(stand.faults, { nonsense: { body: [] } }), 'confused'],
  ])('that is %s says so', async (_, break_, fault) => {
    break_()
    await expect(wallet.transfersTo(1)).rejects.toMatchObject({ fault })
  })

  test('keeps every digit of an amount', async () => {
    const { address, index } = await wallet.newAddressAbove(0)
    await stand.pay(address, 18_446_744_073_709_551_615n)
    expect(await wallet.transfersTo(index)).toMatchObject([{ pico: 18_446_744_073_709_551_615n }])
  })

  test('makes a new address above any index', async () => {
    const before = stand.made()
    expect((await wallet.newAddressAbove(0)).index).toBe(before + 1)
    expect((await wallet.newAddressAbove(before + 2500)).index).toBe(before + 2501)
    expect(await wallet.addressAt(before + 2502)).toBeUndefined()
  })
})

import { describe, expect, test } from 'vitest'
import { startStandIn } from '../../payments/testing/stand-in-server.ts'
import { atEnd } from '../../testing/at-end.ts'
import { guardedCall, reachRefusal } from './guarded-call.ts'

const INSIDE = { allowsLoopback: true, allowsPlainInside: true }
const OUTSIDE = { allowsLoopback: false, allowsPlainInside: false }
const HTTPS = 'Enter an https:// address: the key must not be read on the way.'

describe('a call to a server that somebody named', () => {
  test.each([
    ['169.254.169.254', false, INSIDE, /metadata/],
    ['fe80::1', false, INSIDE, /link-local/],
    ['127.0.0.1', false, OUTSIDE, /this machine itself/],
    ['::1', true, OUTSIDE, /this machine itself/],
    ['::ffff:127.0.0.1', true, OUTSIDE, /this machine itself/],
    ['203.0.113.5', true, INSIDE, HTTPS],
    ['2001:db8::5', true, INSIDE, HTTPS],
    ['10.0.0.5', true, OUTSIDE, HTTPS],
  ])('to %s is refused', (address, isPlain, reach, message) => {
    expect(reachRefusal(address, isPlain, reach)).toMatch(message)
  })

  test.each([
    ['203.0.113.5', false, OUTSIDE],
    ['10.0.0.5', false, OUTSIDE],
    ['10.0.0.5', true, INSIDE],
    ['172.16.9.9', true, INSIDE],
    ['fd00::5', true, INSIDE],
    ['127.0.0.1', true, INSIDE],
  ])('to %s is made', (address, isPlain, reach) => {
    expect(reachRefusal(address, isPlain, reach)).toBeUndefined()
  })

  test('is judged by where its name leads when the connection is made', async () => {
    const server = await startStandIn(() => ({ status: 200, body: {} }))
    atEnd(() => server.close())
    const url = server.url.replace('127.0.0.1', 'localhost')
    const call = (reach: typeof INSIDE) => guardedCall({ method: 'GET', url, headers: {} }, reach)
    await expect(call(OUTSIDE)).rejects.toThrow('The address must not be this machine itself.')
    expect(server.asked).toEqual([])
    expect(await call(INSIDE)).toMatchObject({ status: 200 })
  })

  test('follows no redirect, and says what is wrong with the connection', async () => {
    const server = await startStandIn(() => ({ status: 302, body: {} }))
    const call = () => guardedCall({ method: 'GET', url: server.url, headers: {} }, INSIDE)
    expect(await call()).toMatchObject({ status: 302 })
    await server.close()
    await expect(call()).rejects.toThrow(
      'refused the connection: is it running, and is its API on?',
    )
  })
})

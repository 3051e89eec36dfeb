import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { clusters } from '../../db/schema/infrastructure.ts'
import { testApp } from '../../testing/test-app.ts'
import { isoHost } from '../testing/iso-host.ts'
import { createIsoProbe } from './iso-probe.ts'

const GIB = 1024 ** 3

describe('an image of a client', async () => {
  const t = await testApp({ sim: true })
  const host = await isoHost()
  /** As on the internet: this machine is refused like every private network. */
  const probe = createIsoProbe(t.db, { allowsLoopback: false })
  /** As in the demo, whose images are on this machine. */
  const near = createIsoProbe(t.db, { allowsLoopback: true })

  const sized = (bytes: number) => () => ({ status: 200, headers: { 'content-length': bytes } })
  const refusalOf = async (asking: Promise<void>) => {
    const why = await asking.then(
      () => undefined,
      (error) => error,
    )
    expect(why).toMatchObject({ code: 'INVALID_INPUT', details: [{ path: 'url' }] })
    return String(why.message)
  }

  test.each([
    'https://10.0.0.1/a.iso',
    'https://172.16.0.1/a.iso',
    'https://172.31.255.254/a.iso',
    'https://192.168.1.1/a.iso',
    'https://100.64.0.1/a.iso',
    'https://127.0.0.1/a.iso',
    'https://127.1/a.iso',
    'https://0x7f.0.0.1/a.iso',
    'https://2130706433/a.iso',
    'https://0.0.0.0/a.iso',
    'https://169.254.169.254/latest/meta-data',
    'https://224.0.0.1/a.iso',
    'https://[::1]/a.iso',
    'https://[::]/a.iso',
    'https://[fc00::1]/a.iso',
    'https://[fd12:3456::1]/a.iso',
    'https://[fe80::1]/a.iso',
    'https://[fd00:ec2::254]/a.iso',
    'https://[::ffff:10.0.0.1]/a.iso',
    'https://[::ffff:127.0.0.1]/a.iso',
    'https://[::ffff:169.254.169.254]/a.iso',
    'https://[64:ff9b::10.0.0.1]/a.iso',
    'https://[2002:a00:1::]/a.iso',
  ])('is not asked for in a private network: %s', async (url) => {
    expect(await refusalOf(probe(url))).toContain('leads into a private network')
  })

  test('is not asked for at an address of a cluster of ours', async () => {
    const isOurs = eq(clusters.id, t.cluster.id)
    const kept = t.cluster.ownAddresses
    await t.db
      .update(clusters)
      .set({ ownAddresses: ['198.51.100.7'] })
      .where(isOurs)
    const refusal = await refusalOf(probe('https://198.51.100.7/a.iso'))
    await t.db.update(clusters).set({ ownAddresses: kept }).where(isOurs)
    expect(refusal).toContain('leads into a private network')
  })

  test('is not asked for behind a name that leads into a private network', async () => {
    expect(await refusalOf(probe('https://localhost/a.iso'))).toContain('private network')
    expect(host.asked).toEqual([])
  })

  test.each([
    ['http://example.org/a.iso', 'The address must begin with https://.'],
    ['ftp://example.org/a.iso', 'The address must begin with https://.'],
    ['file:///etc/passwd', 'The address must begin with https://.'],
    ['https://me:secret@example.org/a.iso', 'The address must not contain a login.'],
    ['https://example.org:8443/a.iso', 'The address must not name another port than 443.'],
    ['example.org/a.iso', 'Enter the full address of the image: https://…'],
  ])('is asked for by https alone: %s', async (url, why) => {
    expect(await refusalOf(probe(url))).toBe(why)
  })

  test('is taken where its length is told, by HEAD or by GET', async () => {
    host.answer('/most.iso', sized(10 * GIB))
    await near(host.urlOf('/most.iso'))
    host.answer('/old.iso', (method) =>
      method === 'HEAD' ? { status: 405, headers: {} } : { ...sized(1)() },
    )
    await near(host.urlOf('/old.iso', 'localhost'))
    expect(host.asked).toEqual([
      { method: 'HEAD', path: '/most.iso' },
      { method: 'HEAD', path: '/old.iso' },
      { method: 'GET', path: '/old.iso' },
    ])
  })

  test('is refused where it redirects, and the redirect is not followed', async () => {
    const location = host.urlOf('/inside.iso')
    for (const status of [301, 302, 303, 307, 308]) {
      host.answer('/there.iso', () => ({ status, headers: { location } }))
      expect(await refusalOf(near(host.urlOf('/there.iso')))).toContain('redirects to another one')
    }
    expect(host.asked.map(({ path }) => path)).not.toContain('/inside.iso')
  })

  test('is refused where it is too large, empty, of no known length, or not there', async () => {
    host.answer('/large.iso', sized(10 * GIB + 1))
    host.answer('/empty.iso', sized(0))
    host.answer('/long.iso', () => ({ status: 200, headers: { 'transfer-encoding': 'chunked' } }))
    const ask = (path: string) => refusalOf(near(host.urlOf(path)))
    expect(await ask('/large.iso')).toBe('An image has at most 10 GiB. This one has 11.')
    expect(await ask('/empty.iso')).toBe('There is an empty file at that address.')
    expect(await ask('/long.iso')).toContain('does not say how large the image is')
    expect(await ask('/none.iso')).toBe('The server at that address answers 404.')
  })

  test('is refused where the certificate is of nobody we trust, or nothing answers', async () => {
    const sim = `https://127.0.0.1:${t.sim.port}/`
    expect(await refusalOf(near(sim))).toContain('its certificate is not valid')
    expect(await refusalOf(near('https://127.0.0.1:1/a.iso'))).toContain('Nothing answers')
  })
})

import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { WEBHOOKS_MAX } from '#shared/api/people/own-webhooks.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { webhookDeliveries, webhooks } from '../../db/schema/work.ts'
import { type Person, testApp, testClock } from '../../testing/test-app.ts'
import { listening } from '../../webhooks/testing/listening.ts'
import { startReceiver } from '../../webhooks/testing/receiver.ts'

const URL_OF = 'https://example.com/hook?key=of-the-receiver'

describe('a webhook', async () => {
  const clock = testClock()
  const t = await testApp({ clock })
  const our = listening(t)
  const make = (who: Person, url = URL_OF) => our.hook(who, url, ['order.paid'])
  const refusal = async (who: Person, url: string) => {
    const body = { url, events: ['order.paid' as const] }
    const { status, body: answer } = await t.as(who).attempt(api.ownWebhooks.create, { body })
    expect(status).toBe(400)
    return answer.message
  }

  test('is shown with its address, its secret only once, and both are stored sealed', async () => {
    const me = await t.make.client()
    const { secret, ...made } = await make(me)
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(await t.as(me).call(api.ownWebhooks.list)).toEqual([made])
    expect(made).toMatchObject({ url: URL_OF, isOn: true, offReason: null, oldSecretUntil: null })
    const row = JSON.stringify(await our.row(made.id))
    expect(row).not.toContain('example.com')
    expect(row).not.toContain(secret.slice(6))
    const renewed = await t.as(me).call(api.ownWebhooks.replaceSecret, { params: { id: made.id } })
    expect(renewed.oldSecretUntil).toBe(new Date(clock.now().getTime() + 86_400_000).toISOString())
  })

  test('belongs to its account: another one neither sees nor touches it', async () => {
    const [me, other] = [await t.make.client(), await t.make.client()]
    const { id } = await make(me)
    const { id: theirs } = await make(other)
    const test = await t.as(me).call(api.ownWebhooks.test, { params: { id } })
    const body = { url: URL_OF, events: ['order.paid' as const], isOn: false }
    const params = { id }
    const { ownWebhooks: calls } = api
    const as = t.as(other)
    const answers = [
      await as.attempt(calls.update, { params, body }),
      await as.attempt(calls.remove, { params }),
      await as.attempt(calls.deliveries, { params }),
      await as.attempt(calls.test, { params }),
      await as.attempt(calls.replaceSecret, { params }),
      await as.attempt(calls.redeliver, { params, body: { deliveryId: test.id } }),
      // Their own webhook, and a delivery of mine.
      await as.attempt(calls.redeliver, { params: { id: theirs }, body: { deliveryId: test.id } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
    expect(await our.row(id)).toMatchObject({ isOn: true })
    expect((await t.as(other).call(calls.list)).map((one) => one.id)).toEqual([theirs])
  })

  test('is switched off and on, changed and removed', async () => {
    const me = await t.make.client()
    const { id } = await make(me)
    const params = { id }
    const url = 'https://example.org/other'
    const off = { url, events: ['server.ready' as const], isOn: false }
    expect(await t.as(me).call(api.ownWebhooks.update, { params, body: off })).toMatchObject(off)
    const refused = await t.as(me).attempt(api.ownWebhooks.test, { params })
    expect(refused.body.message).toBe('The webhook is off. Switch it on first.')
    await t.as(me).call(api.ownWebhooks.update, { params, body: { ...off, isOn: true } })
    await t.as(me).call(api.ownWebhooks.test, { params })
    await t.as(me).call(api.ownWebhooks.remove, { params })
    expect(await t.as(me).call(api.ownWebhooks.list)).toEqual([])
    expect(await our.deliveriesOf(id)).toEqual([])
    const activity = await t.as(me).call(api.account.activity)
    expect(activity.map(({ action }) => action)).toEqual([
      'account.remove-webhook',
      'account.change-webhook',
      'account.change-webhook',
      'account.add-webhook',
    ])
  })

  test('of a client is not told of the house', async () => {
    const body = { url: URL_OF, events: ['account.registered' as const] }
    const answer = await t.as(await t.make.client()).attempt(api.ownWebhooks.create, { body })
    expect(answer).toMatchObject({ status: 400 })
    expect(answer.body.message).toBe('Only the staff is told of account.registered.')
    await t.as(await t.make.admin()).call(api.ownWebhooks.create, { body })
  })

  test('is one of ten at most, also when many are made at once', async () => {
    const me = await t.make.client()
    const body = { url: URL_OF, events: ['order.paid' as const] }
    const answers = await Promise.all(
      Array.from({ length: 15 }, () => t.as(me).attempt(api.ownWebhooks.create, { body })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(WEBHOOKS_MAX)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(5)
  })

  test('ends with a new password by an operator, another role, or the account', async () => {
    const boss = await t.make.admin()
    const [reset, raised, deleted] = [
      await t.make.client(),
      await t.make.client(),
      await t.make.client(),
    ]
    for (const one of [reset, raised, deleted]) {
      const { id } = await make(one)
      await t.as(one).call(api.ownWebhooks.test, { params: { id } })
    }
    const left = (who: Person) => t.db.$count(webhooks, eq(webhooks.userId, who.id))
    await t.as(boss).call(api.users.resetPassword, { params: { id: reset.id } })
    await t.as(boss).call(api.users.update, { params: { id: raised.id }, body: { role: 'viewer' } })
    await t.as(boss).call(api.users.remove, { params: { id: deleted.id } })
    for (const one of [reset, raised, deleted]) expect(await left(one)).toBe(0)
  })

  test('is in the export of its account, without its secret', async () => {
    const me = await t.make.client()
    const { id, secret } = await make(me)
    await t.as(me).call(api.ownWebhooks.test, { params: { id } })
    const file = await t.as(me).call(api.account.export)
    expect(file.webhooks).toMatchObject([
      { url: URL_OF, events: ['order.paid'], deliveries: [{ type: 'test', state: 'waiting' }] },
    ])
    expect(JSON.stringify(file)).not.toContain(secret.slice(6))
  })

  test.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://%31%32%37.0.0.1/',
    'https://①②⑦.0.0.1/',
    'https://127。0。0。1/',
    'https://127.0.0.1./',
    'https://0/',
    'https://0.0.0.0/',
    'https://10.1.2.3/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://192.0.0.192/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a00:1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://[::127.0.0.1]/',
    'https://[::ffff:0:10.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[64:ff9b:1::a00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001::1]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[fc00::1]/',
    'https://[fd00:ec2::254]/',
    'https://[ff02::1]/',
  ])('does not lead to %s', async (url) => {
    expect(await refusal(await t.make.client(), url)).toMatch(
      /must be one of the internet|must not be/,
    )
  })

  test('does not lead to another port, by plain http, or to a cluster of ours', async () => {
    const me = await t.make.client()
    expect(await refusal(me, 'https://example.com:8006/')).toContain('another port')
    expect(await refusal(me, 'http://example.com/')).toContain('https://')
    expect(await refusal(me, 'https://user:pw@example.com/')).toContain('login')
    await t.db.insert(clusters).values({
      uid: 'c',
      name: 'far',
      host: 'pve.example',
      username: 'root@pam',
      password: t.deps.keyring.seal({ table: 'clusters', column: 'password', row: 'c' }, 'x'),
      ownAddresses: ['93.184.215.14'],
    })
    expect(await refusal(me, 'https://93.184.215.14/')).toContain('internet')
    await make(me, 'https://93.184.215.15/')
  })

  test('whose name leads to this machine when it is called is not called', async () => {
    const receiver = await startReceiver()
    const me = await t.make.client()
    // The name passes: it is looked up, and judged, when the connection is made.
    const { id } = await make(me, 'https://localhost/')
    const test = await t.as(me).call(api.ownWebhooks.test, { params: { id } })
    await our.deliver()
    const [row] = await t.db
      .select()
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.id, test.id))
    expect(row).toMatchObject({
      state: 'waiting',
      tries: 1,
      lastStatus: null,
      lastAnswer: 'The address must be one of the internet.',
    })
    expect(receiver.received).toEqual([])
  })
})

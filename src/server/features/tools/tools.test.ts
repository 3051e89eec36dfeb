import { eq } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import type { RequestOf } from '#shared/api/parts/route.ts'
import { KEY_SCOPES } from '#shared/rules/people/key-scopes.ts'
import { orders } from '../../db/schema/sales.ts'
import { showingOf } from '../../mcp/shown.ts'
import { toolsOf } from '../../mcp/tools.ts'
import { openTill } from '../../payments/testing/till.ts'
import { type Person, testApp, testClock } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

type App = Awaited<ReturnType<typeof testApp>>['app']
type Wish = Partial<RequestOf<typeof api.apiKeys.create>['body']>

/** The tools of a house, called as an agent calls them. */
function agents(t: Pick<Awaited<ReturnType<typeof testApp>>, 'app' | 'as'>) {
  const keyOf = async (who: Person, more: Wish = {}) => {
    const body = { name: 'agent', scopes: [...KEY_SCOPES], ...more }
    return (await t.as(who).call(api.apiKeys.create, { body })).key
  }
  const post = async (
    key: string,
    payload: unknown,
    { search = '?allow=changes', headers = {}, from = '203.0.113.7' } = {},
  ) => {
    const reply = await (t.app as App).inject({
      method: 'POST',
      url: `/api/mcp${search}`,
      headers: { authorization: `Bearer ${key}`, ...headers },
      payload: payload as object,
      remoteAddress: from,
    })
    return { status: reply.statusCode, text: reply.body, body: reply.body ? reply.json() : null }
  }
  const ask = async (key: string, method: string, params: object, more = {}) =>
    (await post(key, { jsonrpc: '2.0', id: 1, method, params }, more)).body
  const list = async (key: string, more = {}): Promise<{ name: string }[]> =>
    (await ask(key, 'tools/list', {}, more)).result.tools
  const call = async (key: string, name: string, input: object = {}, more = {}) => {
    const { result, error } = await ask(key, 'tools/call', { name, arguments: input }, more)
    if (error) return { error }
    return { isError: result.isError, answer: JSON.parse(result.content[0].text) }
  }
  return { keyOf, post, ask, list, call }
}

describe('the tools for agents', async () => {
  const t = await testApp({ sim: true })
  const { keyOf, post, ask, list, call } = agents(t)

  test('begin as the protocol says, in a version that both know', async () => {
    const key = await keyOf(await t.make.client())
    const hello = (protocolVersion: string) => ask(key, 'initialize', { protocolVersion })
    expect((await hello('2025-03-26')).result).toMatchObject({
      protocolVersion: '2025-03-26',
      capabilities: { tools: {} },
      serverInfo: { name: 'Hushbox' },
    })
    expect((await hello('1999-01-01')).result.protocolVersion).toBe('2025-06-18')
    const headers = { 'mcp-protocol-version': '1999-01-01' }
    expect((await post(key, { jsonrpc: '2.0', id: 1, method: 'ping' }, { headers })).status).toBe(
      400,
    )
    const note = await post(key, { jsonrpc: '2.0', method: 'notifications/initialized' })
    expect([note.status, note.text]).toEqual([202, ''])
    expect((await ask(key, 'ping', {})).result).toEqual({})
  })

  test('are not served to a session, nor by another method', async () => {
    const me = await t.make.client()
    const cookie = `hushbox=${await t.as(me).cookie}`
    const payload = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const reply = await t.app.inject({
      method: 'POST',
      url: '/api/mcp',
      headers: { cookie },
      payload,
    })
    expect(reply.json()).toMatchObject({
      code: 'INVALID_INPUT',
      message: 'Tools are for programs: send an API key with the call.',
    })
    expect((await t.app.inject({ method: 'GET', url: '/api/mcp' })).statusCode).toBe(405)
  })

  test('answer messages that are none with the faults of JSON-RPC', async () => {
    const key = await keyOf(await t.make.client())
    const fault = async (payload: unknown) => (await post(key, payload)).body.error.code
    expect(await fault([{ jsonrpc: '2.0', id: 1, method: 'ping' }])).toBe(-32600)
    expect(await fault({ id: 1, method: 'ping' })).toBe(-32600)
    expect(await fault({ jsonrpc: '2.0', id: 1, method: 'resources/list' })).toBe(-32601)
    expect(await fault({ jsonrpc: '2.0', id: 1, method: 'tools/call' })).toBe(-32602)
    expect((await call(key, 'users_list')).error.code).toBe(-32602)
  })

  test('only read, unless their address allows changes', async () => {
    const me = await t.make.client()
    const key = await keyOf(me)
    const reading = new Set(await namesOf(list(key, { search: '' })))
    const writes = toolsOf(api).filter(({ route }) => route.method !== 'GET')
    expect(writes.filter(({ name }) => reading.has(name))).toEqual([])
    expect(await namesOf(list(key))).toEqual(expect.arrayContaining(writes.map(({ name }) => name)))
    const { instance } = await t.make.owned(t.cluster, 100, me)
    const { error } = await call(key, 'instances_stop', { id: instance.id }, { search: '' })
    expect(error.message).toMatch(/no tool instances_stop/)
  })

  test.each(KEY_SCOPES)('of a key with %s are those of that scope', async (scope) => {
    const key = await keyOf(await t.make.client(), { scopes: [scope] })
    const wanted = toolsOf(api).filter(({ route }) => [scope, 'any'].includes(route.scope ?? ''))
    expect(await namesOf(list(key))).toEqual(wanted.map(({ name }) => name))
  })

  test('reach what the key reaches, and nothing else', async () => {
    const [me, other] = [await t.make.client(), await t.make.client()]
    const mine = (await t.make.owned(t.cluster, 101, me)).instance
    const second = (await t.make.owned(t.cluster, 102, me)).instance
    const bound = await keyOf(me, { scopes: ['servers:read'], instanceIds: [mine.id] })
    const seen = await call(bound, 'servers_get', { id: mine.id })
    expect(seen).toMatchObject({ isError: false, answer: { id: mine.id } })
    const beside = await call(bound, 'servers_get', { id: second.id })
    expect(beside).toMatchObject({ isError: true, answer: { code: 'NOT_FOUND' } })
    const foreign = await call(await keyOf(other), 'servers_get', { id: mine.id })
    expect(foreign).toMatchObject({ isError: true, answer: { code: 'NOT_FOUND' } })
    const home = await keyOf(me, { cidrs: ['198.51.100.0/24'] })
    const at = (from: string) => post(home, { jsonrpc: '2.0', id: 1, method: 'ping' }, { from })
    expect((await at('198.51.100.9')).status).toBe(200)
    expect((await at('203.0.113.9')).status).toBe(403)
    // What a tool asks us is asked from where the agent is.
    const within = await call(home, 'servers_get', { id: mine.id }, { from: '198.51.100.9' })
    expect(within).toMatchObject({ isError: false, answer: { id: mine.id } })
  })

  test('say what is wrong with their arguments', async () => {
    const key = await keyOf(await t.make.client())
    const wrong = async (name: string, input: object) => {
      const { result } = await ask(key, 'tools/call', { name, arguments: input })
      return [result.isError, result.content[0].text]
    }
    expect(await wrong('servers_get', {})).toEqual([
      true,
      'servers_get needs id, a number or a text.',
    ])
    expect(await wrong('servers_get', { id: 1, vm: 2 })).toEqual([
      true,
      'servers_get has no argument vm.',
    ])
    // One segment of the path, whatever it holds.
    expect((await call(key, 'servers_get', { id: '../users' })).answer.code).toBe('INVALID_INPUT')
  })

  test('all show what they are about before they change it, unless it is harmless', () => {
    const tools = toolsOf(api)
    const asking = tools.filter(({ asks }) => asks)
    expect(asking.filter(({ route }) => !showingOf(route)).map(({ name }) => name)).toEqual([])
    const changing = tools.filter(({ route, asks }) => route.method !== 'GET' && !asks)
    expect(changing.map(({ name }) => name).toSorted()).toEqual([
      'backups_make',
      'coupons_preview',
      'firewall_confirm',
      'firewall_set',
      'instances_start',
      'reverseDns_set',
      'servers_change',
      'snapshots_take',
    ])
    expect(tools.every(({ name }) => /^\w{1,64}$/.test(name))).toBe(true)
  })

  test('stop a server only when it was shown and named', async () => {
    const me = await t.make.client()
    const { instance } = await t.make.owned(t.cluster, 103, me)
    const key = await keyOf(me)
    const stop = (confirmation?: string, id = instance.id) =>
      call(key, 'instances_stop', { id, ...(confirmation && { confirmation }) })
    const status = async () =>
      (await call(key, 'instances_status', { id: instance.id })).answer.status
    expect(await call(key, 'instances_start', { id: instance.id })).toMatchObject({
      isError: false,
    })
    await vi.waitFor(async () => expect(await status()).toBe('running'))

    const first = await stop()
    const { label } = (await call(key, 'servers_get', { id: instance.id })).answer
    expect(first).toMatchObject({ isError: false, answer: { done: false, about: { label } } })
    expect(first.answer.confirmation).toMatch(
      new RegExp(`^${label} [0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{10}$`),
    )
    expect(await status()).toBe('running')

    const refused = { isError: true, answer: { done: false } }
    expect(await stop(label)).toMatchObject(refused)
    expect(await stop(`${label} 00000000-00000000-0000000000`)).toMatchObject(refused)
    const other = (await t.make.owned(t.cluster, 104, me)).instance
    expect(await stop(first.answer.confirmation, other.id)).toMatchObject(refused)
    const another = await keyOf(me)
    const input = { id: instance.id, confirmation: first.answer.confirmation }
    expect(await call(another, 'instances_stop', input)).toMatchObject(refused)
    expect(await call(key, 'instances_restart', input)).toMatchObject(refused)

    await call(key, 'servers_change', { id: instance.id, label: 'Renamed since' })
    expect(await stop(first.answer.confirmation)).toMatchObject(refused)
    const { answer } = await stop()
    expect(answer.confirmation).toMatch(/^Renamed since /)
    expect(await stop(answer.confirmation)).toMatchObject({ isError: false })
    await vi.waitFor(async () => expect(await status()).toBe('stopped'))
  })

  test('do not change what their key cannot show', async () => {
    const me = await t.make.client()
    const { instance } = await t.make.owned(t.cluster, 105, me)
    const key = await keyOf(me, { scopes: ['servers:power'] })
    const { isError, answer } = await call(key, 'instances_stop', { id: instance.id })
    expect([isError, answer.code, answer.details]).toEqual([
      true,
      'FORBIDDEN',
      { scope: 'servers:read' },
    ])
  })
})

describe.each(EACH_DATABASE)('buying by tool, on %s', async (database) => {
  const till = await openTill(
    { env: { PAYMENT_PROVIDER: 'sandbox' } },
    { database, clock: testClock(), withJobs: true },
  )
  const { keyOf, call } = agents(till.t)

  test('costs once, however often one confirmation is sent', async () => {
    const client = await till.t.make.client()
    const { tokenId } = await till.stock()
    const key = await keyOf(client)
    const { answer } = await call(key, 'marketplace_purchase', { tokenId })
    expect(answer.about).toMatchObject({ monthlyPrice: expect.stringMatching(/^\d+\.\d\d$/) })
    const { confirmation } = answer
    const buy = () => call(key, 'marketplace_purchase', { tokenId, confirmation })
    const first = await buy()
    expect(first).toMatchObject({ isError: false, answer: { token: { tokenId } } })
    // As after a lost answer: the same one again, although the offer is gone.
    expect(await buy()).toEqual(first)
    expect(await till.t.db.$count(orders, eq(orders.userId, client.id))).toBe(1)
  })
})

const namesOf = async (tools: Promise<{ name: string }[]>) => (await tools).map(({ name }) => name)

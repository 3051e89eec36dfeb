import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ProxmoxClient, proxmoxClient } from './client.ts'
import { everyCall, functionsOf, type Scene } from './testing/every-call.ts'
import { type FakePve, type FakeRequest, startFakePve } from './testing/fake-pve.ts'
import { schema } from './testing/reference.ts'
import { complaints } from './testing/schema-check.ts'

const VERSIONS = { '7.4': '7.4-16', '8.4': '8.4.1', '9.1': '9.1.4' } as const

const scene: Scene = {
  vm: { node: 'pve1', vmid: 101 },
  template: { node: 'pve1', vmid: 9000 },
  newid: 102,
  upid: 'UPID:pve1:0000C8B0:0000D780:5FBE5E7F:qmstart:101:vps@pve!app:',
  storage: 'local-lvm',
  isoStorage: 'local',
  pool: 'vps',
  disk: 'scsi0',
  ipset: 'ipfilter-net0',
}

/** The smallest answer that lets each call send its next request. */
function answerFor(version: string, request: FakeRequest): unknown {
  const { path, method } = request
  if (path === '/version') return { version, release: version.slice(0, 3), repoid: 'abc' }
  if (path === '/access/ticket') return { ticket: 'PVE:t', CSRFPreventionToken: 'c' }
  if (path === '/access/permissions') return {}
  if (path === '/cluster/nextid') return '102'
  if (path.endsWith('/vncproxy'))
    return { port: '5900', ticket: 'PVEVNC:1::a+/=', upid: scene.upid }
  if (path.endsWith('/network-get-interfaces')) return { result: [] }
  if (path.endsWith('/status/current')) return { status: 'running', vmid: '101' }
  if (path.endsWith('/snapshot') && method === 'GET') return []
  if (path.endsWith('/vzdump')) return scene.upid
  if (path.endsWith('/qemu') && method === 'POST') return scene.upid
  if (path.endsWith('/content') && method === 'GET') return []
  if (path.includes('/content/') && method === 'PUT') return null
  if (path.endsWith('/cloudinit/dump')) return 'version: 1'
  if (path.endsWith('/config') && method === 'GET') return { memory: 512 }
  if (path.includes('/tasks/') && path.endsWith('/status')) {
    return { upid: scene.upid, status: 'stopped', exitstatus: 'OK' }
  }
  if (
    /\/(storage|content|rrddata|network|tasks|log|pending|qemu|resources|ipset|rules)$|^\/nodes$/.test(
      path,
    )
  )
    return []
  if (path === '/cluster/status') return []
  if (path.includes('/ipset/') && method === 'GET') return []
  if (path.endsWith('/status') || path.endsWith('/firewall/options')) return {}
  return `UPID:pve1:0000C8B0:0000D780:5FBE5E7F:task:${/qemu\/(\d+)/.exec(path)?.[1]}:vps@pve!app:`
}

describe.each(Object.entries(VERSIONS))('requests to PVE %s', (release, version) => {
  let fake: FakePve
  let client: ProxmoxClient

  beforeAll(async () => {
    fake = await startFakePve((request) => ({ data: answerFor(version, request) }))
    client = proxmoxClient({
      hosts: [{ host: '127.0.0.1', port: fake.port }],
      pin: fake.pin,
      auth: { kind: 'password', username: 'vps@pve', password: 'p' },
    })
  })
  afterAll(async () => {
    await client.close()
    await fake.close()
  })

  it('are all legal by the published schema', async () => {
    const published = schema(release)
    for (const call of everyCall) {
      const before = fake.requests.length
      // The fake does not support websockets; it is enough that the request was sent.
      await call.run(client, scene).catch((error: unknown) => {
        if (call.name !== 'vnc.open') throw error
      })
      const sent = fake.requests.slice(before)
      expect(sent.length, call.name).toBeGreaterThan(call.name.startsWith('version.') ? -1 : 0)
      for (const { method, path, query, form } of sent) {
        const parameters = new Map([...query, ...form])
        expect(complaints(published, { method, path, parameters }), call.name).toEqual([])
      }
    }
    expect(fake.requests.some(({ path }) => path.endsWith('/vncwebsocket'))).toBe(true)
    expect(fake.requests.some(({ path }) => path === '/access/ticket')).toBe(true)
  })

  it('are reported when illegal', () => {
    const found = (method: string, path: string, form: Record<string, string>) =>
      complaints(schema(release), { method, path, parameters: new Map(Object.entries(form)) })
    const config = '/nodes/pve1/qemu/101/config'
    expect(found('GET', '/nodes/pve1/qemu/101/nonsense', {})).toHaveLength(1)
    expect(found('POST', config, { onboot: 'true' })).toEqual(['onboot=true: boolean'])
    expect(found('POST', config, { machine: 'i440fx' })).not.toEqual([])
    expect(found('POST', config, { net0: 'virtio=BC:24:11:AA:BB:CC,colour=red' })).toHaveLength(1)
    expect(found('POST', config, { memroy: '512' })).toEqual(['memroy is not a parameter'])
    expect(
      found('PUT', '/nodes/pve1/qemu/101/resize', { disk: 'scsi99', size: '1G' }),
    ).toHaveLength(1)
    expect(found('POST', '/nodes/pve1/qemu/9000/clone', {})).toEqual(['newid is missing'])
  })

  it('are gated by version', async () => {
    await client.qemu.stop(scene.vm, { overruleShutdown: true })
    expect(fake.requests.at(-1)?.form.has('overrule-shutdown')).toBe(release !== '7.4')
    await client.qemu.setConfig(scene.vm, { set: { ciupgrade: false, cores: 2 } })
    expect(fake.requests.at(-1)?.form.get('cores')).toBe('2')
    expect(fake.requests.at(-1)?.form.get('ciupgrade')).toBe(release === '7.4' ? null : '0')
  })

  it('cover every function of the client', () => {
    const named = new Set(everyCall.map((call) => call.name))
    expect(functionsOf(client).filter((name) => !named.has(name))).toEqual([])
  })
})

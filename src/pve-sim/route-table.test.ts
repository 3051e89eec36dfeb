import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inRelease, type Param } from './formats/params.ts'
import { ROUTES } from './route-table.ts'
import type { Version } from './state/types.ts'
import { atLeast } from './state/versions.ts'
import { type Harness, harness } from './testing/harness.ts'
import { mismatches, readSchema, type SchemaParam } from './testing/schema.ts'

const VERSIONS: Version[] = ['7.4', '8.4', '9.1']

/** The parts on which both descriptions must agree. */
const essence = (param: Param | SchemaParam) => ({
  type: param.type,
  optional: param.optional ?? false,
  enum: param.enum ? [...param.enum].sort() : undefined,
  minimum: param.minimum,
  maximum: param.maximum,
  minLength: param.minLength,
  maxLength: param.maxLength,
  requires: param.requires,
})

const known = (params: Record<string, Param>, version: Version): [string, Param][] =>
  Object.entries(params).flatMap(([name, param]) => {
    const here = inRelease(param, version)
    return here ? [[name, here]] : []
  })

describe.each(VERSIONS)('PVE %s', (version) => {
  const schema = readSchema(version)

  it.each(
    ROUTES.filter((route) => !route.since || atLeast(version, route.since)).map(
      (route) => [`${route.method} ${route.path}`, route] as const,
    ),
  )('accepts the parameters of %s', (signature, route) => {
    const wanted = Object.entries(schema.params(signature) ?? {})
    const ours = known(route.params(version), version)
    const sorted = <T>(entries: [string, T][]) => entries.sort(([a], [b]) => (a < b ? -1 : 1))
    expect(schema.endpoint(signature), 'is in the schema').toBeDefined()
    expect(sorted(ours.map(([name, param]) => [name, essence(param)]))).toEqual(
      sorted(wanted.map(([name, param]) => [name, essence(param)])),
    )
    expect(route.proxied).toBe(schema.endpoint(signature)?.proxyto === 'node')
    expect(route.ticketOnly).toBe(schema.endpoint(signature)?.allowtoken === false)
  })

  it.each(
    ROUTES.filter((route) => !route.since || atLeast(version, route.since)).map(
      (route) => [`${route.method} ${route.path}`, route] as const,
    ),
  )('requires the privileges of %s', (signature, route) => {
    const theirs = schema.endpoint(signature)?.permissions
    const ours = route.permissions(version)
    if (theirs?.user) return expect(ours).toBe(theirs.user)
    // Privileges are compared as a set: the forms of the expressions differ, their words do not.
    const words = (value: unknown) =>
      [...new Set(JSON.stringify(value).match(/[A-Z]\w+\.[A-Z][\w.]+/g))].sort()
    expect(words(ours)).toEqual(words(theirs?.check))
  })
})

describe.each(VERSIONS)('answers of PVE %s', (version) => {
  const schema = readSchema(version)
  let pve: Harness
  beforeAll(async () => {
    pve = await harness({ version })
  })
  afterAll(() => pve.close())

  const GETS = [
    ['/version', '/version'],
    ['/access/domains', '/access/domains'],
    ['/access/permissions', '/access/permissions'],
    ['/access/users/{userid}/token', '/access/users/vps@pve/token'],
    ['/cluster/status', '/cluster/status'],
    ['/cluster/resources', '/cluster/resources'],
    ['/cluster/nextid', '/cluster/nextid'],
    ['/cluster/tasks', '/cluster/tasks'],
    ['/nodes', '/nodes'],
    ['/nodes/{node}/status', '/nodes/pve1/status'],
    ['/nodes/{node}/storage', '/nodes/pve2/storage'],
    ['/nodes/{node}/storage/{storage}/content', '/nodes/pve1/storage/ceph-vm/content'],
    ['/nodes/{node}/storage/{storage}/content', '/nodes/pve1/storage/local/content?content=iso'],
    ['/nodes/{node}/rrddata', '/nodes/pve1/rrddata?timeframe=day'],
    ['/nodes/{node}/network', '/nodes/pve1/network'],
    ['/nodes/{node}/certificates/info', '/nodes/pve1/certificates/info'],
    ['/nodes/{node}/qemu', '/nodes/pve1/qemu'],
    ['/nodes/{node}/qemu/{vmid}/config', '/nodes/pve1/qemu/100/config'],
    ['/nodes/{node}/qemu/{vmid}/pending', '/nodes/pve1/qemu/100/pending'],
    ['/nodes/{node}/qemu/{vmid}/status/current', '/nodes/pve1/qemu/100/status/current'],
    ['/nodes/{node}/qemu/{vmid}/status/current', '/nodes/pve1/qemu/103/status/current'],
    ['/nodes/{node}/qemu/{vmid}/rrddata', '/nodes/pve1/qemu/100/rrddata?timeframe=hour'],
    [
      '/nodes/{node}/qemu/{vmid}/agent/network-get-interfaces',
      '/nodes/pve1/qemu/100/agent/network-get-interfaces',
    ],
    ['/nodes/{node}/tasks', '/nodes/pve1/tasks?source=all'],
    ['/pools', '/pools'],
    ['/pools/{poolid}', '/pools/vps'],
  ] as const

  it.each(GETS)('GET %s as the schema says', async (path, url) => {
    await pve.run('POST', '/nodes/pve1/qemu/103/config', { description: 'so that there is a task' })
    const reply = await pve.call('GET', url)
    expect(reply.status).toBe(200)
    expect(mismatches(schema.returns(`GET ${path}`) ?? {}, reply.data)).toEqual([])
  })

  it('writes as the schema says', async () => {
    const writes = [
      [
        'POST',
        '/access/ticket',
        '/access/ticket',
        { username: 'root@pam', password: pve.sim.password },
      ],
      [
        'POST',
        '/access/users/{userid}/token/{tokenid}',
        '/access/users/vps@pve/token/second',
        { comment: 'x' },
      ],
      ['POST', '/nodes/{node}/qemu/{vmid}/config', '/nodes/pve1/qemu/103/config', { cores: '2' }],
      ['PUT', '/nodes/{node}/qemu/{vmid}/config', '/nodes/pve1/qemu/101/config', { cores: '2' }],
      ['POST', '/nodes/{node}/qemu/{vmid}/clone', '/nodes/pve1/qemu/9004/clone', { newid: '300' }],
      [
        'POST',
        '/nodes/{node}/qemu/{vmid}/vncproxy',
        '/nodes/pve1/qemu/100/vncproxy',
        { websocket: '1' },
      ],
      ['PUT', '/nodes/{node}/qemu/{vmid}/cloudinit', '/nodes/pve1/qemu/100/cloudinit', {}],
      [
        'POST',
        '/nodes/{node}/qemu/{vmid}/agent/set-user-password',
        '/nodes/pve1/qemu/100/agent/set-user-password',
        { username: 'root', password: 'secret1' },
      ],
      [
        'PUT',
        '/nodes/{node}/qemu/{vmid}/resize',
        '/nodes/pve1/qemu/104/resize',
        { disk: 'scsi0', size: '+1G' },
      ],
    ] as const
    for (const [method, path, url, form] of writes) {
      const ticket = path === '/access/ticket'
      const reply = ticket ? await pve.as({})(method, url, form) : await pve.call(method, url, form)
      expect(`${url} ${reply.status} ${reply.reason}`).toBe(`${url} 200 OK`)
      expect(mismatches(schema.returns(`${method} ${path}`) ?? {}, reply.data), url).toEqual([])
    }
  })
})

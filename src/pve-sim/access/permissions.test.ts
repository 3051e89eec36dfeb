import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, harness, tokenHeader } from '../testing/harness.ts'

let pve: Harness
beforeAll(async () => {
  pve = await harness()
})
afterAll(() => pve.close())

const vmids = async (headers: Record<string, string>) => {
  const { data } = await pve.as(headers)('GET', '/cluster/resources?type=vm')
  return data.map((row) => Number(row.vmid))
}

describe('a user with access to two VMs', () => {
  const viewer = () => pve.ticket('viewer@pve', 'viewer-password')

  it('sees those two and no trace of the others', async () => {
    const headers = await viewer()
    expect(await vmids(headers)).toEqual([100, 103])
    const list = await pve.as(headers)('GET', '/nodes/pve1/qemu')
    expect(list.data.map((row) => Number(row.vmid))).toEqual([100, 103])
    expect((await pve.as(headers)('GET', '/nodes/pve1/storage')).data).toEqual([])
    expect((await pve.as(headers)('GET', '/pools')).data).toEqual([])
  })

  it('sees nodes without their numbers', async () => {
    const { data } = await pve.as(await viewer())('GET', '/nodes')
    expect(Object.keys(data[0] ?? {}).sort()).toEqual([
      'id',
      'node',
      'ssl_fingerprint',
      'status',
      'type',
    ])
  })

  it('learns which privilege is missing where', async () => {
    const headers = await viewer()
    const start = await pve.as(headers)('POST', '/nodes/pve1/qemu/103/status/start', {})
    expect([start.status, start.reason]).toEqual([
      403,
      'Permission check failed (/vms/103, VM.PowerMgmt)',
    ])
    const agent = await pve.as(headers)('GET', '/nodes/pve1/qemu/100/agent/network-get-interfaces')
    expect(agent.reason).toBe(
      'Permission check failed (/vms/100, VM.GuestAgent.Audit|VM.GuestAgent.Unrestricted)',
    )
    const status = await pve.as(headers)('GET', '/cluster/status')
    expect(status.reason).toBe('Permission check failed (/, Sys.Audit)')
  })

  it('is authorised before its parameters are checked', async () => {
    const reply = await pve.as(await viewer())('PUT', '/nodes/pve1/qemu/101/config', {
      nonsense: '1',
    })
    expect(reply.status).toBe(403)
  })

  it('may change the keys that its role covers', async () => {
    const headers = await viewer()
    const path = '/nodes/pve1/qemu/100/config'
    expect((await pve.as(headers)('PUT', path, { ciuser: 'me' })).status).toBe(200)
    const cores = await pve.as(headers)('PUT', path, { cores: '64' })
    expect(cores.reason).toBe('Permission check failed (/vms/100, VM.Config.CPU)')
  })

  it('reads its own permissions', async () => {
    const { data } = await pve.as(await viewer())('GET', '/access/permissions')
    expect(Object.keys(data).sort()).toEqual(['/vms/100', '/vms/103'])
    expect(data['/vms/103']).toMatchObject({ 'VM.Audit': 1, 'Datastore.Audit': 1 })
    const other = await pve.as(await viewer())('GET', '/access/permissions?userid=root@pam')
    expect(other.status).toBe(403)
  })
})

describe('a token with privilege separation', () => {
  it('has no privileges without entries of its own, and gets no error', async () => {
    const headers = tokenHeader('viewer@pve!nothing')
    expect(await vmids(headers)).toEqual([])
    expect((await pve.as(headers)('GET', '/access/permissions')).data).toEqual({})
  })

  it('has at most what its user has', async () => {
    const { secret } = pve.sim.state.addToken({ userid: 'viewer@pve', tokenid: 'wide' })
    pve.sim.state.setAcl({
      path: '/',
      type: 'token',
      ugid: 'viewer@pve!wide',
      roleid: 'PVEAuditor',
    })
    expect(await vmids(tokenHeader('viewer@pve!wide', secret))).toEqual([100, 103])
  })
})

describe('the least-privilege setup', () => {
  const app = tokenHeader('vps@pve!app')

  it('sees every VM and may use those of its pool', async () => {
    expect((await vmids(app)).length).toBe(18)
    const outside = await pve.as(app)('DELETE', '/nodes/pve1/qemu/9004')
    expect(outside.reason).toBe('Permission check failed (/vms/9004, VM.Allocate)')
  })

  it('clones into its pool only', async () => {
    const clone = '/nodes/pve1/qemu/9004/clone'
    const nowhere = await pve.as(app)('POST', clone, { newid: '400', full: '1' })
    expect([nowhere.status, nowhere.reason]).toEqual([403, 'Permission check failed'])
    const reply = await pve.as(app)('POST', clone, { newid: '400', full: '1', pool: 'vps' })
    expect(reply.status).toBe(200)
    expect(await pve.ended(reply.data)).toBe('OK')
    expect((await pve.as(app)('POST', '/nodes/pve1/qemu/400/status/start', {})).status).toBe(200)
  })

  it('may not use bridges without a privilege on them', async () => {
    const net = { net1: 'virtio,bridge=vmbr1' }
    const reply = await pve.as(app)('PUT', '/nodes/pve1/qemu/103/config', net)
    expect(reply.reason).toBe('Permission check failed (/sdn/zones/localnetwork/vmbr1, SDN.Use)')
  })

  it('finds its tasks on the node but never in the cluster list', async () => {
    const reply = await pve.as(app)('POST', '/nodes/pve1/qemu/103/config', { description: 'x' })
    await pve.ended(reply.data)
    pve.sim.state.acls = pve.sim.state.acls.filter(
      (acl) => acl.path !== '/' || acl.ugid !== 'vps@pve',
    )
    const own = await pve.as(app)('GET', '/nodes/pve1/tasks')
    expect(own.data.map((task) => task.upid)).toContain(reply.data)
    expect((await pve.as(app)('GET', '/cluster/tasks')).data).toEqual([])
    const viewer = await pve.ticket('viewer@pve', 'viewer-password')
    const foreign = await pve.as(viewer)('GET', `/nodes/pve1/tasks/${reply.data}/status`)
    expect(foreign.reason).toBe('Permission check failed (/nodes/pve1, Sys.Audit)')
  })
})

it('lets a deeper entry replace a wider one, and NoAccess remove it', async () => {
  const { state } = pve.sim
  state.addUser({ userid: 'deep@pve', password: 'x12345' })
  state.setAcl({ path: '/vms', type: 'user', ugid: 'deep@pve', roleid: 'PVEVMAdmin' })
  state.setAcl({ path: '/vms/101', type: 'user', ugid: 'deep@pve', roleid: 'NoAccess' })
  state.setAcl({
    path: '/nodes',
    type: 'user',
    ugid: 'deep@pve',
    roleid: 'PVEAuditor',
    propagate: false,
  })
  const headers = await pve.ticket('deep@pve', 'x12345')
  expect(await vmids(headers)).not.toContain(101)
  expect(await vmids(headers)).toContain(102)
  expect((await pve.as(headers)('GET', '/nodes/pve1/status')).status).toBe(403)
})

import { describe, expect, it } from 'vitest'
import { Permissions } from '#proxmox/calls/access.ts'
import { parseVersion } from '#proxmox/calls/version.ts'
import { proxmoxHypervisor } from '../proxmox/proxmox-hypervisor.ts'
import { connectionTo, impatient, startCluster } from '../testing/sim-cluster.ts'
import { diagnose } from './permission-doctor.ts'

const scope = {
  pool: 'vps',
  templatePool: 'vps-templates',
  storages: ['local-lvm', 'ceph-vm'],
  bridges: ['vmbr0'],
}
const secret = '00000000-0000-4000-8000-000000000000'

describe.each(['7.4', '8.4', '9.1'] as const)('the permission doctor on PVE %s', (version) => {
  it('accepts the documented setup, and names everything that a token without permissions lacks', async () => {
    const sim = await startCluster({ version })
    const ask = async (username: string) => {
      const hypervisor = proxmoxHypervisor(connectionTo(sim, { username, secret }), impatient)
      const diagnosis = await hypervisor.diagnose(scope)
      await hypervisor.close()
      return diagnosis
    }
    expect(await ask('vps@pve!app')).toMatchObject({ missing: [], commands: [] })
    const { missing, commands } = await ask('viewer@pve!nothing')
    const bridge = version === '7.4' ? [] : ['/sdn/zones/localnetwork/vmbr0']
    expect(missing.map(({ path }) => path)).toEqual([
      '/pool/vps',
      '/pool/vps-templates',
      '/',
      '/storage/local-lvm',
      '/storage/ceph-vm',
      ...bridge,
    ])
    // Running commands as root in guests is not in the default role (review 2.11).
    expect(missing[0]?.privileges).toContain('VM.Console')
    expect(commands.join('\n')).not.toMatch(/VM\.Monitor|VM\.GuestAgent/)
    await sim.close()
  })
})

it('the doctor names exactly what is missing, and how to grant it to user and token', () => {
  const permissions = Permissions.parse({
    '/': { 'Sys.Audit': 1, 'VM.Audit': 1 },
    '/vms': { 'VM.Audit': 1, 'VM.Clone': 1 },
    '/storage': { 'Datastore.AllocateSpace': 1, 'Datastore.Audit': 1 },
  })
  const version = parseVersion('9.1.4')
  const username = 'vps@pve!app'
  const { missing, commands } = diagnose({
    version,
    permissions,
    username,
    scope: { storages: ['local'], bridges: ['vmbr0'] },
    isoStores: [],
  })
  expect(missing.map(({ path }) => path)).toEqual(['/vms', '/sdn/zones/localnetwork/vmbr0'])
  expect(missing[0]?.privileges).not.toContain('VM.Audit')
  expect(commands).toContain("pveum acl modify /vms --tokens 'vps@pve!app' --roles VpsOperator")
  expect(commands).toContain(
    'pveum acl modify /sdn/zones/localnetwork/vmbr0 --users vps@pve --roles VpsNet',
  )
  expect(commands[0]).toMatch(
    /^pveum role add VpsOperator --privs "VM\.Allocate .*" \|\| pveum role modify/,
  )
})

it('the doctor names the optional privilege of snapshots, with the commands that grant it', () => {
  const given = {
    version: parseVersion('8.4.1'),
    username: 'vps@pve!app',
    scope: { pool: 'vps', storages: ['local'], bridges: ['vmbr0'] },
    isoStores: [],
  }
  const lacking = diagnose({ ...given, permissions: new Map() })
  expect(lacking.missing.flatMap(({ privileges }) => privileges)).not.toContain('VM.Snapshot')
  expect(lacking.optional).toContainEqual({
    path: '/pool/vps',
    privileges: ['VM.Snapshot'],
    why: 'Without it, no snapshots can be taken, and no server is rolled back.',
    commands: expect.arrayContaining([
      "pveum acl modify /pool/vps --tokens 'vps@pve!app' --roles VpsSnapshots",
    ]),
  })
  const permissions = Permissions.parse({ '/pool/vps': { 'VM.Snapshot': 1 } })
  const { optional } = diagnose({ ...given, permissions })
  expect(optional.flatMap(({ privileges }) => privileges)).not.toContain('VM.Snapshot')
})

import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import type { Diagnosis } from '#shared/api/servers/clusters.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { actorOf, byHand } from '../../provisioning/testing/by-hand.ts'
import { openShop } from '../../provisioning/testing/shop.ts'
import { clusterBody } from '../../testing/cluster-body.ts'
import { pveum } from '../../testing/pveum.ts'
import { testApp } from '../../testing/test-app.ts'
import { startTestSim, usePool } from '../../testing/with-sim.ts'

const paths = ({ missing }: Diagnosis) => missing.map(({ path }) => path)

describe.each(['8.4', '9.1'] as const)('the permission report on Proxmox VE %s', (version) => {
  test('of an account without permissions names all of them, and its commands suffice to sell', async () => {
    const sim = await startTestSim({ version })
    const t = await testApp()
    const admin = t.as(await t.make.admin())
    const made = pveum(sim, [
      'pveum user add blind@pve',
      'pveum user token add blind@pve panel --privsep 1',
    ])
    const username = 'blind@pve!panel'
    const body = clusterBody(sim, { username, password: made.get(username) })
    const refused = await admin.attempt(api.clusters.create, { body })
    expect(refused).toMatchObject({ status: 422, body: { code: 'CLUSTER_REFUSED' } })
    const diagnosis = refused.body.details as Diagnosis
    expect(paths(diagnosis)).toEqual([
      '/pool/hushbox',
      '/pool/hushbox',
      '/',
      '/storage',
      '/sdn/zones/localnetwork',
    ])
    const words = diagnosis.commands.join('\n')
    expect(words).not.toMatch(/VM\.Monitor|Unrestricted|\/vms/)
    expect(diagnosis.optional.map(({ privileges }) => privileges.join())).toContain(
      version === '8.4' ? 'VM.Monitor' : 'VM.GuestAgent.Unrestricted',
    )

    pveum(sim, diagnosis.commands)
    pveum(sim, ['pveum pool modify hushbox --vms 9004'])
    const cluster = await admin.call(api.clusters.create, { body })
    const report = await admin.call(api.clusters.diagnosis, { params: { id: cluster.id } })
    expect(report.missing).toEqual([])
    await usePool(t.deps, cluster, {})
    const [row] = await t.db.select().from(clusters).where(eq(clusters.id, cluster.id))
    if (!row) throw new Error('the cluster is gone')
    const shop = await openShop({ ...t, sim, cluster: row })
    const hand = byHand(t)
    const token = await shop.token()
    const { jobId } = await hand.sales.claim(
      actorOf(await t.make.client()),
      token.tokenId,
      'purchase',
    )
    await hand.run(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    await sim.close()
  })

  test('asks for the storage of the settings although the account cannot see it', async () => {
    const t = await testApp({ sim: { version }, account: 'guide' })
    const admin = t.as(await t.make.admin())
    const report = async (change: object) => {
      const settings = { ...t.cluster.settings, ...change }
      await t.db.update(clusters).set({ settings }).where(eq(clusters.id, t.cluster.id))
      return await admin.call(api.clusters.diagnosis, { params: { id: t.cluster.id } })
    }
    expect(paths(await report({}))).toEqual([])
    expect(paths(await report({ storage: 'local-lvm' }))).toEqual(['/storage/local-lvm'])
    // Linked clones are on the storage of their template.
    expect(paths(await report({ storage: null, cloneMode: 'linked' }))).toEqual([])
  })

  test('asks for the permission to run commands in guests only on demand', async () => {
    const t = await testApp({ sim: { version }, account: 'guide' })
    const admin = t.as(await t.make.admin())
    const report = () => admin.call(api.clusters.diagnosis, { params: { id: t.cluster.id } })
    const privilege = version === '8.4' ? 'VM.Monitor' : 'VM.GuestAgent.Unrestricted'
    expect((await report()).missing).toEqual([])
    const settings = { ...t.cluster.settings, guestAgent: true }
    await t.db.update(clusters).set({ settings }).where(eq(clusters.id, t.cluster.id))
    const asked = await report()
    expect(asked.missing).toMatchObject([{ path: '/pool/hushbox', privileges: [privilege] }])
    pveum(t.sim, asked.commands)
    expect((await report()).missing).toEqual([])
    // The role keeps its earlier privileges.
    expect(t.sim.state.roles.get('VpsOperator')).toContain('VM.Console')
  })
})

describe('the stock', async () => {
  const t = await testApp({ sim: { version: '9.1' }, account: 'guide' })
  pveum(t.sim, ['pveum pool modify hushbox --vms 9000,9001,100'])
  const bare = t.sim.state.vms.get(9000)
  if (bare) delete bare.config.ide2
  const local = t.sim.state.vms.get(9001)
  if (local) local.config.scsi0 = 'local-lvm:base-9001-disk-0,size=8G'
  const shop = await openShop(t)
  await shop.admin.call(api.sync.proxmox)
  const templateOf = async (vmId: number) =>
    (await shop.admin.call(api.templates.list)).find(({ templateId }) => templateId === vmId)?.id
  const nodes = await shop.admin.call(api.nodes.list)
  const nodeId = (name: string) => nodes.find((node) => node.name === name)?.id
  const create = (values: object) =>
    shop.admin.attempt(api.tokens.create, { body: shop.form({ ...values }) })

  test('excludes clones of a template without a cloud-init drive', async () => {
    expect(await create({ templateId: await templateOf(9000) })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('no cloud-init drive') },
    })
  })

  test('excludes clones that cannot reach their node', async () => {
    const templateId = await templateOf(9001)
    expect(await create({ templateId, nodeId: nodeId('pve2') })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('cannot be cloned to pve2') },
    })
    expect((await create({ templateId, nodeId: nodeId('pve1') })).status).toBe(201)
    expect((await create({ nodeId: nodeId('pve2') })).status).toBe(201)
  })

  test('excludes VMs whose password cannot be changed, and the attention list says so', async () => {
    const { id: instanceId } = await shop.vm(100)
    const ready = { tokenType: 'ready', instanceId, templateId: null, ipAddress: null }
    expect(await create(ready)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('No new password can be set') },
    })
  })
})

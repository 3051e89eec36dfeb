import { describe, expect, it } from 'vitest'
import type { SimOptions } from './options.ts'
import { type Harness, harness } from './testing/harness.ts'

async function withPve(options: SimOptions, act: (pve: Harness) => Promise<void>): Promise<void> {
  const pve = await harness(options)
  try {
    await act(pve)
  } finally {
    await pve.close()
  }
}

const rows = async (pve: Harness, type: string) =>
  (await pve.call('GET', `/cluster/resources?type=${type}`)).data
const vm = async (pve: Harness, vmid: number) =>
  (await rows(pve, 'vm')).find((row) => Number(row.vmid) === vmid)

describe('resources', () => {
  it('are as old as the last broadcast, while status is live', async () => {
    let time = Date.now()
    await withPve({ lagMs: 10_000, now: () => time }, async (pve) => {
      expect(await vm(pve, 103)).toMatchObject({ status: 'stopped' })
      await pve.run('POST', '/nodes/pve1/qemu/103/status/start')
      await pve.call('PUT', '/nodes/pve1/qemu/103/config', { name: 'renamed', tags: 'b,a' })
      const live = await pve.call('GET', '/nodes/pve1/qemu/103/status/current')
      expect(live.data).toMatchObject({ status: 'running', name: 'renamed' })
      // Tags come straight from the configuration, names and status from the broadcast.
      expect(await vm(pve, 103)).toMatchObject({ status: 'stopped', name: 'staging', tags: 'a;b' })
      time += 10_000
      expect(await vm(pve, 103)).toMatchObject({ status: 'running', name: 'renamed' })
    })
  })

  it('contain qmpstatus, locks, pools, tags and HA states', () =>
    withPve({}, async (pve) => {
      expect(await vm(pve, 104)).toMatchObject({ status: 'paused', pool: 'vps' })
      expect(await vm(pve, 107)).toMatchObject({ status: 'io-error' })
      expect(await vm(pve, 106)).toMatchObject({ lock: 'backup' })
      expect(await vm(pve, 102)).toMatchObject({ hastate: 'started' })
      expect(await vm(pve, 100)).toMatchObject({
        tags: 'production;web',
        disk: 0,
        maxdisk: 40 * 1024 ** 3,
      })
      expect(await vm(pve, 9004)).toMatchObject({ template: 1 })
    }))

  it('list shared storage once per node and local storage where it is', () =>
    withPve({}, async (pve) => {
      const storages = await rows(pve, 'storage')
      expect(storages.map((row) => row.id)).toEqual(
        ['pve1', 'pve2'].flatMap((node) =>
          ['local', 'local-lvm', 'ceph-vm'].map((id) => `storage/${node}/${id}`),
        ),
      )
      const iso = await pve.call('GET', '/nodes/pve1/storage/local/content?content=iso')
      expect(iso.data.length).toBe(2)
      const images = await pve.call('GET', '/nodes/pve1/storage?content=images')
      expect(images.data.map((row) => row.storage)).toEqual(['local-lvm', 'ceph-vm'])
    }))
})

it('finds a moved VM on its new node only', () =>
  withPve({}, async (pve) => {
    pve.sim.state.moveVm(100, 'pve2')
    const gone = await pve.call('GET', '/nodes/pve1/qemu/100/config')
    expect(gone.reason).toBe("Configuration file 'nodes/pve1/qemu-server/100.conf' does not exist")
    expect(await vm(pve, 100)).toMatchObject({ node: 'pve2' })
    expect((await pve.call('GET', '/nodes/pve2/qemu/100/config')).status).toBe(200)
  }))

it('loses a node: 595 at once, its VMs unknown after five minutes', async () => {
  let time = Date.now()
  await withPve({ now: () => time }, async (pve) => {
    await rows(pve, 'vm')
    pve.sim.state.setNodeOnline('pve2', false)
    const forwarded = await pve.call('GET', '/nodes/pve2/qemu/107/status/current')
    expect([forwarded.status, forwarded.reason]).toEqual([595, 'No route to host'])
    expect((await rows(pve, 'node'))[1]).toEqual({
      id: 'node/pve2',
      type: 'node',
      node: 'pve2',
      status: 'offline',
    })
    expect(await vm(pve, 108)).toMatchObject({ status: 'running' })
    time += 301_000
    expect(await vm(pve, 108)).toEqual({
      id: 'qemu/108',
      type: 'qemu',
      vmid: 108,
      node: 'pve2',
      status: 'unknown',
      pool: 'vps',
    })
    const { data } = await pve.call('GET', '/cluster/status')
    expect(data.find((row) => row.name === 'pve2')).toMatchObject({ online: 0, local: 0 })
    pve.sim.state.setNodeOnline('pve2', true)
    expect(await vm(pve, 108)).toMatchObject({ status: 'running' })
  })
})

it('is a cluster, or a standalone host', async () => {
  await withPve({}, async (pve) => {
    const { data } = await pve.call('GET', '/cluster/status')
    expect(data[0]).toMatchObject({ type: 'cluster', name: 'hushbox', nodes: 2, quorate: 1 })
    expect(data[1]).toMatchObject({
      type: 'node',
      name: 'pve1',
      local: 1,
      online: 1,
      ip: '127.0.0.1',
    })
  })
  await withPve({ standalone: true }, async (pve) => {
    const { data } = await pve.call('GET', '/cluster/status')
    expect(data.map((row) => row.type)).toEqual(['node'])
    const login = await pve.as({})('POST', '/access/ticket', {
      username: 'root@pam',
      password: pve.sim.password,
    })
    expect(login.data.clustername).toBeUndefined()
    expect(await pve.run('POST', '/nodes/pve1/qemu/9004/clone', { newid: '300', full: '1' })).toBe(
      'OK',
    )
  })
})

it('shows the certificate it serves', () =>
  withPve({}, async (pve) => {
    const { data: nodes } = await pve.call('GET', '/nodes')
    expect(nodes[0]?.ssl_fingerprint).toBe(pve.sim.fingerprint)
    const { data } = await pve.call('GET', '/nodes/pve2/certificates/info')
    expect(data.map((entry) => entry.filename)).toEqual(['pve-root-ca.pem', 'pve-ssl.pem'])
    expect(data[0]?.pem).toBe(pve.sim.caPem)
    expect(data[1]?.san).toContain('pve1.hushbox.example')
  }))

it('lists bridges', () =>
  withPve({}, async (pve) => {
    const { data } = await pve.call('GET', '/nodes/pve1/network?type=any_bridge')
    expect(data.map((row) => row.iface)).toEqual(['vmbr0', 'vmbr1'])
  }))

describe('RRD', () => {
  const OLD = { hour: 60, day: 1800, week: 10_800, month: 43_200, year: 604_800 }
  const NEW = { hour: 60, day: 60, week: 1800, month: 1800, year: 21_600 }
  const NEW_ROWS = { hour: 60, day: 1440, week: 336, month: 1440, year: 1440 }

  it.each([
    ['7.4', OLD],
    ['8.4', OLD],
    ['9.1', NEW],
  ] as const)('has rows of rates, some with only their time, in %s', (version, frames) =>
    withPve({ version }, async (pve) => {
      let holes = 0
      for (const [frame, step] of Object.entries(frames)) {
        const { data } = await pve.call(
          'GET',
          `/nodes/pve1/qemu/100/rrddata?timeframe=${frame}&cf=AVERAGE`,
        )
        const rows = version === '9.1' ? NEW_ROWS[frame as keyof typeof NEW_ROWS] : 70
        expect(data.length).toBe(rows)
        expect(Number(data[1]?.time) - Number(data[0]?.time)).toBe(step)
        holes += data.filter((row) => Object.keys(row).length === 1).length
        const last = data.findLast((row) => Object.keys(row).length > 1)
        expect(Number(last?.cpu)).toBeLessThan(1)
        expect(Number(last?.netin)).toBeLessThan(10_000_000)
      }
      expect(holes).toBeGreaterThan(0)
      const node = await pve.call('GET', '/nodes/pve2/rrddata?timeframe=hour')
      expect(node.data.length).toBe(version === '9.1' ? 60 : 70)
    }),
  )

  it('is the same at every read', async () => {
    const time = Date.UTC(2026, 5, 1)
    const read = async () => {
      let data: unknown
      await withPve({ now: () => time }, async (pve) => {
        data = (await pve.call('GET', '/nodes/pve1/qemu/100/rrddata?timeframe=day')).data
      })
      return data
    }
    expect(await read()).toEqual(await read())
  })
})

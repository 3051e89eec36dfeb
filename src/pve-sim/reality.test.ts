import { describe, expect, it } from 'vitest'
import type { SimOptions } from './options.ts'
import { type Harness, harness, sendTo, tokenHeader } from './testing/harness.ts'

/** Behaviour of Proxmox VE that this simulator once lacked: each case cost a sale. */

async function withPve(options: SimOptions, act: (pve: Harness) => Promise<void>): Promise<void> {
  const pve = await harness(options)
  try {
    await act(pve)
  } finally {
    await pve.close()
  }
}

const CLONE = '/nodes/pve1/qemu/9004/clone'
const rowOf = async (pve: Harness, vmid: number) =>
  (await pve.call('GET', '/cluster/resources?type=vm')).data.find(
    (row) => Number(row.vmid) === vmid,
  )

describe('the resource list after a clone', () => {
  it('contains the clone at once, without details until the next round of statistics', async () => {
    let time = Date.now()
    await withPve({ lagMs: 10_000, now: () => time }, async (pve) => {
      await pve.run('POST', CLONE, { newid: '300', full: '1', name: 'fresh' })
      const bare = { id: 'qemu/300', type: 'qemu', node: 'pve1', vmid: 300, status: 'unknown' }
      expect(await rowOf(pve, 300)).toEqual({ ...bare, tags: 'template' })
      time += 10_000
      expect(await rowOf(pve, 300)).toMatchObject({ name: 'fresh', status: 'stopped' })
    })
  })

  it('shows the clone without details once, even where statistics have no lag', () =>
    withPve({ lagMs: 0 }, async (pve) => {
      await pve.run('POST', CLONE, { newid: '300', full: '1', name: 'fresh' })
      const first = await rowOf(pve, 300)
      expect([first?.status, first?.name]).toEqual(['unknown', undefined])
      expect(await rowOf(pve, 300)).toMatchObject({ name: 'fresh', status: 'stopped' })
    }))

  it('shows a clone in progress under a placeholder name', () =>
    withPve({ lagMs: 0, taskMs: 60_000 }, async (pve) => {
      await pve.call('POST', CLONE, { newid: '300', full: '1', name: 'fresh' })
      expect(await rowOf(pve, 300)).toMatchObject({ status: 'unknown', lock: 'clone' })
      expect(await rowOf(pve, 300)).toMatchObject({ name: 'VM 300', lock: 'clone' })
    }))

  it('gives a reused id the values of the VM that had it before', async () => {
    let time = Date.now()
    await withPve({ lagMs: 10_000, now: () => time }, async (pve) => {
      await pve.run('POST', '/nodes/pve1/qemu/103/status/start')
      time += 10_000
      expect(await rowOf(pve, 103)).toMatchObject({ status: 'running', name: 'staging' })
      await pve.run('POST', '/nodes/pve1/qemu/103/status/stop')
      await pve.run('DELETE', '/nodes/pve1/qemu/103')
      expect(await rowOf(pve, 103)).toBeUndefined()
      await pve.run('POST', CLONE, { newid: '103', full: '1', name: 'fresh' })
      expect(await rowOf(pve, 103)).toMatchObject({ status: 'running', name: 'staging' })
      time += 10_000
      expect(await rowOf(pve, 103)).toMatchObject({ status: 'stopped', name: 'fresh' })
    })
  })

  it('forgets the values of an id after five minutes', async () => {
    let time = Date.now()
    await withPve({ lagMs: 0, now: () => time }, async (pve) => {
      await pve.run('DELETE', '/nodes/pve1/qemu/103')
      time += 300_000
      await pve.run('POST', CLONE, { newid: '103', full: '1', name: 'fresh' })
      expect((await rowOf(pve, 103))?.name).toBeUndefined()
    })
  })
})

describe('an account with privileges on a pool', () => {
  const vps = tokenHeader('vps@pve!app')

  it('gets 403 for an id in no pool, and learns from nextid that it is free', () =>
    withPve({}, async (pve) => {
      const as = pve.as(vps)
      const absent = await as('GET', '/nodes/pve1/qemu/10000/config')
      expect([absent.status, absent.reason]).toEqual([
        403,
        'Permission check failed (/vms/10000, VM.Audit)',
      ])
      expect((await as('GET', '/cluster/nextid?vmid=10000')).data).toBe('10000')
    }))

  it('has no privileges on its clone before the clone joins the pool, at the very end', () =>
    withPve({ taskMs: 100 }, async (pve) => {
      const as = pve.as(vps)
      const form = { newid: '300', full: '1', pool: 'vps', storage: 'local-lvm' }
      const { data: upid } = await as('POST', CLONE, form)
      expect((await as('GET', '/nodes/pve1/qemu/300/config')).status).toBe(403)
      expect(await pve.ended(upid)).toBe('OK')
      expect((await as('GET', '/nodes/pve1/qemu/300/config')).status).toBe(200)
    }))
})

describe('a VM that does not exist', () => {
  const GONE = "Configuration file 'nodes/pve1/qemu-server/424242.conf' does not exist"
  const NOWHERE = "unable to find configuration file for VM 424242 on node 'pve1'"
  const path = '/nodes/pve1/qemu/424242'

  it('is started, stopped, shut down and resized by a task that fails', () =>
    withPve({}, async (pve) => {
      expect(await pve.run('POST', `${path}/status/start`)).toBe(GONE)
      expect(await pve.run('POST', `${path}/status/stop`)).toBe(NOWHERE)
      expect(await pve.run('POST', `${path}/status/shutdown`)).toBe(NOWHERE)
      expect(await pve.run('PUT', `${path}/resize`, { disk: 'scsi0', size: '+1G' })).toBe(GONE)
    }))

  it('is refused at once by every other call', () =>
    withPve({}, async (pve) => {
      for (const action of ['reboot', 'reset', 'suspend', 'resume']) {
        const reply = await pve.call('POST', `${path}/status/${action}`, {})
        expect([reply.status, reply.reason]).toEqual([500, NOWHERE])
      }
      const clone = await pve.call('POST', `${path}/clone`, { newid: '300' })
      expect([clone.status, clone.reason]).toEqual([500, NOWHERE])
    }))
})

describe('a guest that never shuts down', () => {
  const power = '/nodes/pve1/qemu/100/status'

  it('keeps the lock for ten minutes when its agent answers, unless a stop overrules it', () =>
    withPve({ taskMs: 60 }, async (pve) => {
      const vm = pve.sim.state.vms.get(100)
      if (vm) vm.guest.hangs = true
      const { data: waiting } = await pve.call('POST', `${power}/shutdown`, {})
      expect(await pve.run('POST', `${power}/stop`)).toBe(
        "can't lock file '/var/lock/qemu-server/lock-100.conf' - got timeout",
      )
      expect((await pve.status(waiting)).status).toBe('running')
      const { data: stop } = await pve.call('POST', `${power}/stop`, { 'overrule-shutdown': '1' })
      expect(await pve.ended(stop)).toBe('OK')
      expect(await pve.ended(waiting)).toBe('VM quit/powerdown failed')
      expect(vm?.qmp).toBe('stopped')
      const log = await pve.call('GET', `/nodes/pve1/tasks/${encodeURIComponent(stop)}/log`)
      expect(log.data[0]?.t).toBe(`overruled qmshutdown tasks: ${waiting}`)
    }))

  it('is given up after the timeout of the call', () =>
    withPve({}, async (pve) => {
      const vm = pve.sim.state.vms.get(100)
      if (vm) vm.guest.hangs = true
      const end = await pve.run('POST', `${power}/shutdown`, { timeout: '2' })
      expect(end).toBe('VM quit/powerdown failed')
      expect(await pve.run('POST', `${power}/shutdown`, { timeout: '2', forceStop: '1' })).toBe(
        'OK',
      )
      expect(vm?.qmp).toBe('stopped')
    }))

  it('cannot be overruled where HA manages it', () =>
    withPve({}, async (pve) => {
      const path = '/nodes/pve2/qemu/110/status/stop'
      const reply = await pve.call('POST', path, { 'overrule-shutdown': '1' })
      expect(reply.body.errors).toEqual({ 'overrule-shutdown': 'Not applicable for HA resources.' })
    }))
})

describe('an agent that does not answer', () => {
  const agent = (vmid: number, node = 'pve1') =>
    `/nodes/${node}/qemu/${vmid}/agent/network-get-interfaces`

  it('costs three seconds and one of the three workers of its node', () =>
    withPve({ taskMs: 1000 }, async (pve) => {
      const answered: string[] = []
      const ask = async (name: string, path: string) => {
        await pve.call('GET', path)
        answered.push(name)
      }
      // 104 is paused: its agent does not react.
      const silent = [1, 2, 3].map((n) => ask(`agent ${n}`, agent(104)))
      await pve.until(() => pve.sim.requests.length === 0)
      const behind = ask('behind', '/nodes/pve1/qemu/100/status/current')
      const elsewhere = ask('another node', '/nodes/pve2/qemu/107/status/current')
      const unprotected = ask('configuration', '/nodes/pve1/qemu/100/config')
      await Promise.all([...silent, behind, elsewhere, unprotected])
      expect(answered.slice(0, 2).sort()).toEqual(['another node', 'configuration'])
      expect(answered.indexOf('behind')).toBeGreaterThan(2)
    }))
})

describe('the wording of refusals', () => {
  it('names the missing CSRF token on every release', async () => {
    for (const version of ['7.4', '8.4', '9.1'] as const) {
      await withPve({ version }, async (pve) => {
        const { cookie } = await pve.ticket('root@pam', pve.sim.password)
        const reply = await sendTo(pve.sim, 'POST', '/nodes/pve1/qemu/100/status/start', {
          headers: { cookie },
          form: {},
        })
        expect([reply.status, reply.reason, reply.text]).toEqual([
          401,
          'Permission denied - invalid csrf token',
          '',
        ])
      })
    }
  })

  it('tells a token, valid or not, that a ticket requires a password', () =>
    withPve({}, async (pve) => {
      const words = "Permission check failed (URI '/access/ticket' not available with API token"
      for (const headers of [pve.admin, tokenHeader('nobody@pve!none')]) {
        const reply = await sendTo(pve.sim, 'POST', '/access/ticket', {
          headers,
          form: { username: 'root@pam', password: 'x' },
        })
        expect([reply.status, reply.reason]).toEqual([403, `${words}, need proper ticket.`])
        expect(reply.body.message).toBe(`${words}, need proper ticket.\n)\n`)
      }
    }))

  it('repeats the reason as the body where the HTTP server itself refuses', () =>
    withPve({}, async (pve) => {
      const chunked = await pve.send('POST', '/nodes/pve1/qemu/100/status/start', {
        headers: { 'transfer-encoding': 'chunked' },
      })
      expect([chunked.status, chunked.text]).toEqual([501, chunked.reason])
      expect(chunked.headers['content-type']).toBeUndefined()
      const unknown = await pve.call('GET', '/nope')
      expect(unknown.body.message).toBe("Method 'GET /nope' not implemented")
    }))
})

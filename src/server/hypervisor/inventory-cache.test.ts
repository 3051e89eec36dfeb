import { describe, expect, it } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { type InventoryView, inventoryCache } from './inventory-cache.ts'
import type { Inventory, InventoryVm, LiveVm, VmState } from './port/hypervisor.ts'
import { soon } from './testing/sim-cluster.ts'

const SECOND = 1000

function vm(state: VmState): InventoryVm {
  return {
    ...{ vmId: 100, node: 'pve1', state, lock: undefined, uptime: 5, cpuUsage: 0.1 },
    ...{ memoryUsed: 1, memoryTotal: 2, name: 'a', isTemplate: false, cpuCount: 1, diskTotal: 3 },
    ...{ tags: [], pool: undefined },
  }
}

const inventory = (...vms: InventoryVm[]): Inventory => {
  const none = { cpuUsage: 0, memoryUsed: 0, memoryTotal: 0, storageUsed: 0, storageTotal: 0 }
  const nodes = [{ name: 'pve1', state: 'online' as const, vmCount: vms.length, ...none }]
  return { nodes, vms, templates: [], storages: [], isQuorate: true }
}

/** A cluster whose answers the test decides, and a clock that the test moves. */
function scene() {
  let now = 1_700_000_000_000
  let answer: () => Promise<Inventory> = async () => inventory(vm('running'))
  let asked = 0
  const timers: { act: () => void; ms: number }[] = []
  const polls: InventoryView[] = []
  const cache = inventoryCache(
    {
      listInventory: () => {
        asked += 1
        return answer()
      },
    },
    {
      now: () => now,
      schedule: (act, ms) => {
        const timer = { act, ms }
        timers.push(timer)
        return () => timers.splice(timers.indexOf(timer), 1)
      },
      onPoll: (view) => polls.push(view),
    },
  )
  return {
    cache,
    timers,
    polls,
    asked: () => asked,
    advance: (ms: number) => {
      now += ms
    },
    answers: (next: () => Promise<Inventory>) => {
      answer = next
    },
  }
}

const away = async (): Promise<Inventory> => {
  throw new AppError('CLUSTER_UNAVAILABLE', 'away')
}

describe('the inventory cache', () => {
  it('polls at once, then every ten seconds, and stops', async () => {
    const { cache, timers, asked, polls } = scene()
    cache.start()
    cache.start()
    await expect.poll(() => timers.length, soon).toBe(1)
    expect(asked()).toBe(1)
    expect(timers[0]?.ms).toBe(10 * SECOND)
    timers.shift()?.act()
    await expect.poll(() => timers.length, soon).toBe(1)
    expect(asked()).toBe(2)
    await cache.stop()
    expect(timers).toEqual([])
    await cache.refresh()
    expect(polls).toHaveLength(2)
  })

  it('shares one poll among many callers, and polls again for those who came too late for it', async () => {
    const { cache, answers, asked } = scene()
    const gate = Promise.withResolvers<Inventory>()
    answers(() => (asked() === 1 ? gate.promise : Promise.resolve(inventory())))
    const waiting = Promise.all([cache.refresh(), cache.refresh(), cache.refresh()])
    gate.resolve(inventory())
    await waiting
    expect(asked()).toBe(2)
  })

  it('keeps stale data with its date, and reports it as unknown, never as stopped', async () => {
    const { cache, answers, advance } = scene()
    await cache.refresh()
    const asOf = cache.view().asOf
    expect(cache.view().health).toBe('online')
    answers(away)
    advance(10 * SECOND)
    await cache.refresh()
    expect(cache.view()).toMatchObject({ asOf, health: 'degraded', failure: { message: 'away' } })
    expect(cache.vm(100)).toMatchObject({ state: 'running', asOf })
    advance(30 * SECOND)
    await cache.refresh()
    expect(cache.view().health).toBe('offline')
    expect(cache.vm(100)).toMatchObject({ state: 'unknown', lastKnown: 'running', asOf })
    expect(cache.isUnlisted(100)).toBe(false)
    expect(cache.isUnlisted(101)).toBe(false)
  })

  it('reports that it knows nothing before the first answer', async () => {
    const { cache, answers } = scene()
    answers(away)
    expect(cache.view()).toMatchObject({ inventory: undefined, health: 'offline' })
    await cache.refresh()
    expect(cache.vm(100)).toBeUndefined()
    expect(cache.isUnlisted(100)).toBe(false)
  })

  it('reports which VMs the cluster does not list', async () => {
    const { cache, answers } = scene()
    await cache.refresh()
    expect(cache.isUnlisted(100)).toBe(false)
    answers(async () => inventory())
    await cache.refresh()
    expect(cache.isUnlisted(100)).toBe(true)
    expect(cache.vm(100)).toBeUndefined()
  })

  it('prefers a live sighting until the list has caught up', async () => {
    const { cache, advance } = scene()
    const live: LiveVm = { ...vm('stopped') }
    await cache.refresh()
    advance(SECOND)
    cache.learn(live)
    expect(cache.vm(100)?.state).toBe('stopped')
    advance(5 * SECOND)
    await cache.refresh()
    expect(cache.vm(100)?.state, 'the list still lags').toBe('stopped')
    advance(20 * SECOND)
    await cache.refresh()
    expect(cache.vm(100)?.state).toBe('running')
  })

  it('is degraded without quorum or with a node down', async () => {
    const { cache, answers } = scene()
    answers(async () => ({ ...inventory(), isQuorate: false }))
    await cache.refresh()
    expect(cache.view().health).toBe('degraded')
    answers(async () => {
      const whole = inventory()
      return {
        ...whole,
        nodes: whole.nodes.map((node) => ({ ...node, state: 'offline' as const })),
      }
    })
    await cache.refresh()
    expect(cache.view().health).toBe('degraded')
  })

  it('turns an unexpected error into a failure it can show', async () => {
    const { cache, answers, polls } = scene()
    cache.start()
    answers(async () => {
      throw new TypeError('oops')
    })
    await cache.refresh()
    await expect.poll(() => polls.at(-1)?.failure?.code, soon).toBe('INTERNAL')
    await cache.stop()
  })
})

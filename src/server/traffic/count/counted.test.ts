import { describe, expect, test } from 'vitest'
import { noise } from '#pve-sim/metrics/noise.ts'
import { vmSeries } from '#pve-sim/metrics/rrd.ts'
import { vmLoad } from '#pve-sim/metrics/stats.ts'
import { bytesPassed } from '#pve-sim/metrics/traffic.ts'
import { endNetRun } from '#pve-sim/state/net-runs.ts'
import type { Vm } from '#pve-sim/state/types.ts'
import { UNLIMITED } from '#shared/rules/network/traffic.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { metricsPoint } from '../../hypervisor/guest/guest-view.ts'
import { healed } from '../healed.ts'
import { type Counted, countServer, type Server, type TrafficRow } from './counted.ts'
import { pollsOf } from './polls.ts'
import { partOf, passedSince, type Sighting } from './sighting.ts'

const START = Date.UTC(2026, 10, 15, 12)
const POLL_MS = 10_000
const SEED = Number(process.env.SEED ?? 1)

const at = (ms: number, uptime: number, bytes: number): Sighting => ({
  at: START + ms,
  uptime,
  in: bytes,
  out: 2 * bytes,
})

describe('what passed between two sightings', () => {
  const last = at(0, 5000, 1000)

  test.each([
    ['of a VM that runs on', last, at(10_000, 5010, 1500), 500],
    ['of one that runs on after two hours', last, at(2 * HOUR_MS, 12_200, 9000), 8000],
    ['of one that was started meanwhile', last, at(10_000, 4, 70), 70],
    ['of one that was started meanwhile and has passed more', last, at(HOUR_MS, 600, 9000), 9000],
    [
      'of one that was started at once and has passed more',
      last,
      at(2 * MINUTE_MS, 100, 9000),
      9000,
    ],
    ['of one whose card was plugged in again', last, at(10_000, 5010, 40), 40],
    ['of one that was switched off', last, at(10_000, 0, 0), 0],
    ['of one that was off and runs', at(0, 0, 0), at(10_000, 5, 30), 30],
    // The list names the new node while the figures are those of the old one.
    ['of one that is on another node by now', last, at(10_000, 5010, 1100), 100],
    ['while our clock was set back', last, at(-HOUR_MS, 5010, 1500), 0],
    ['after our clock was set back an hour', at(0, 5000, 1000), at(2 * MINUTE_MS, 8720, 1500), 500],
  ])('%s is counted once', (_, before, now, bytes) => {
    expect(passedSince(before, now)).toMatchObject({ in: bytes, out: 2 * bytes })
  })

  test.each([
    ['at the same moment', last, at(0, 5000, 1000)],
    ['by another process, earlier', last, at(-3000, 4997, 900)],
    ['by a node that is behind', last, at(4000, 4990, 900)],
    ['by a node that is behind a restart', at(0, 4, 70), at(3000, 5000, 1000)],
    ['by a node that is behind a stop', at(0, 0, 0), at(3000, 5000, 1000)],
    ['by a node that is behind a start', at(0, 4, 70), at(3000, 0, 0)],
    ['in the same second, and less', last, at(10, 5000, 900)],
  ])('is nothing if it was reported %s', (_, before, now) => {
    expect(passedSince(before, now)).toBeUndefined()
  })

  test('is not known of the end of a run that nobody saw', () => {
    const { gap } = passedSince(last, at(HOUR_MS, 600, 9000)) ?? {}
    expect(gap).toEqual({ from: START, to: START + 50 * MINUTE_MS })
  })

  test('is not looked up where the time is short', () => {
    expect(passedSince(last, at(MINUTE_MS, 4, 70))?.gap).toBeUndefined()
  })

  test('is divided by time', () => {
    const bytes = { in: 100, out: 10, from: 0, to: 10 }
    expect(partOf(bytes, { from: 5, to: 100 })).toEqual({ in: 50, out: 5 })
    expect(partOf(bytes, { from: 10, to: 100 })).toEqual({ in: 0, out: 0 })
  })
})

const PERIOD = { from: new Date(START - DAY_MS), to: new Date(START + 29 * DAY_MS) }
const server = (given: Partial<Server> = {}): Server => ({
  instanceId: 7,
  ownerId: 1,
  stored: null,
  terms: UNLIMITED,
  period: PERIOD,
  ...given,
})

/** The row as the statement would leave it. */
function stored(before: TrafficRow | null, counted: Counted): TrafficRow {
  const old = before && !counted.isNewPeriod ? before : { inBytes: 0, outBytes: 0 }
  return {
    instanceId: counted.instanceId,
    seenAt: new Date(counted.seen.at),
    seenUptime: counted.seen.uptime,
    seenIn: counted.seen.in,
    seenOut: counted.seen.out,
    periodFrom: counted.period.from,
    periodTo: counted.period.to,
    inBytes: old.inBytes + counted.in,
    outBytes: old.outBytes + counted.out,
    noticed: counted.noticed,
  }
}

describe('a period', () => {
  const row = stored(null, countServer(server(), [at(0, 5000, 1000)]) as Counted)
  const next = { from: new Date(START + HOUR_MS), to: new Date(START + 31 * DAY_MS) }

  test('begins with what passed in it', () => {
    const counted = countServer(server({ stored: { ...row, inBytes: 9 }, period: next }), [
      at(2 * HOUR_MS, 12_200, 2000),
    ])
    expect(counted).toMatchObject({ in: 500, out: 1000, isNewPeriod: true, period: next })
  })

  test('is not told of what passed in the one before', () => {
    const terms = { ...UNLIMITED, trafficGb: 3 }
    const usedUp = { ...row, inBytes: 4e9, noticed: 100 as const }
    const counted = countServer(server({ stored: usedUp, terms, period: next }), [
      at(2 * HOUR_MS, 12_200, 2000),
    ])
    expect(counted).toMatchObject({ noticed: 0, notice: 0 })
  })

  test('that is found to have begun earlier keeps what was counted', () => {
    const earlier = { from: new Date(START - 3 * DAY_MS), to: PERIOD.to }
    const counted = countServer(server({ stored: row, period: earlier }), [at(HOUR_MS, 8600, 1500)])
    expect(counted).toMatchObject({ in: 500, isNewPeriod: false })
  })

  test('is told of at 80 and at 100 percent, once each', () => {
    const terms = { ...UNLIMITED, trafficGb: 3 }
    const notices: number[] = []
    let now = row
    for (const [minutes, gb] of [10, 79, 81, 90, 101, 120].map((gb, index) => [index + 1, gb])) {
      const seen = at((minutes ?? 0) * MINUTE_MS, 5000 + (minutes ?? 0) * 60, (gb ?? 0) * 1e7)
      const counted = countServer(server({ stored: now, terms }), [seen])
      if (!counted) throw new Error('nothing was counted')
      notices.push(counted.notice)
      now = stored(now, counted)
    }
    expect(notices).toEqual([0, 0, 80, 0, 100, 0])
    const raised = countServer(server({ stored: now, terms: { ...terms, trafficGb: 4 } }), [
      at(10 * MINUTE_MS, 5600, 120e7),
    ])
    expect(raised).toMatchObject({ noticed: 80, notice: 0 })
  })

  test('whose quota is 0 is used up before anything has passed', () => {
    const terms = { ...UNLIMITED, trafficGb: 0 }
    expect(countServer(server({ terms }), [at(0, 10, 0)])).toMatchObject({ notice: 100 })
  })

  test('is not written again while nothing is new', () => {
    expect(countServer(server({ stored: row }), [at(30_000, 5030, 1200)])).toBeUndefined()
    expect(countServer(server({ stored: row }), [])).toBeUndefined()
  })
})

function newVm(vmid: number): Vm {
  const booted = { user: 'root', password: '' }
  return {
    vmid,
    node: 'pve1',
    config: {},
    pending: {},
    qmp: 'running',
    pid: 1,
    startedAt: START - HOUR_MS,
    createdAt: START - HOUR_MS,
    netRuns: [],
    guest: { os: '', agent: 'alive', ignoresAcpi: false, password: '', booted, passwords: {} },
  }
}

/** A VM, what happens to it, and a process that counts it; all by one clock. */
function world(seed: number, hostMetrics: boolean) {
  let draws = 0
  const random = () => {
    draws += 1
    return noise(seed, draws)
  }
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low))
  const vm = newVm(100 + seed)
  let now = START
  let polls = pollsOf()
  let row: TrafficRow | null = null
  const gaps: { from: number; to: number }[] = []

  const events = {
    stop: () => {
      endNetRun(vm, now)
      vm.qmp = 'stopped'
      delete vm.migratedAt
    },
    start: () => {
      vm.qmp = 'running'
      vm.startedAt = now
    },
    migrate: () => {
      if (vm.qmp === 'stopped') return
      endNetRun(vm, now)
      vm.migratedAt = now
    },
    restart: () => {
      events.stop()
      now += between(1000, 40_000)
      events.start()
    },
  }
  const poll = () => {
    const { uptime, netin, netout } = vmLoad(vm, now)
    if (!polls.see([{ vmId: 7, uptime, netIn: netin, netOut: netout }], now)) return
    const counted = countServer(server({ stored: row }), polls.take().get(7) ?? [])
    if (!counted) return
    row = stored(row, counted)
    gaps.push(...counted.gaps)
  }
  const watch = (ms: number) => {
    for (const end = now + ms; now < end; now += POLL_MS) poll()
  }
  const happen = () => {
    const kind = (['restart', 'migrate', 'stop'] as const)[between(0, 3)] ?? 'stop'
    if (vm.qmp === 'stopped') events.start()
    else events[kind]()
  }
  const heal = () => {
    now += 3 * MINUTE_MS
    const rows = (frame: 'day' | 'hour') =>
      vmSeries(vm, { frame, now, hostMetrics }).map(({ time, ...values }) =>
        metricsPoint({ time, values }),
      )
    for (const gap of gaps.splice(0)) {
      const pieces = healed({ fine: rows('hour'), coarse: rows('day') }, gap)
      for (const piece of pieces) {
        if (row)
          row = { ...row, inBytes: row.inBytes + piece.in, outBytes: row.outBytes + piece.out }
      }
    }
  }
  /** Nobody looks for up to two hours, while anything may happen. */
  const away = (isProcessDown: boolean) => {
    const end = now + between(MINUTE_MS, 2 * HOUR_MS)
    for (let left = between(0, 4); left > 0; left -= 1) {
      now = Math.min(end, now + between(0, end - now))
      happen()
    }
    now = Math.max(now, end)
    if (isProcessDown) polls = pollsOf()
    watch(MINUTE_MS)
    heal()
  }
  return {
    live() {
      poll()
      const first = row?.seenAt.getTime() ?? now
      for (let left = 25; left > 0; left -= 1) {
        watch(between(5, 40) * MINUTE_MS)
        if (random() < 0.4) away(random() < 0.5)
        else happen()
      }
      watch(2 * MINUTE_MS)
      const to = row?.seenAt.getTime() ?? now
      const truth = bytesPassed(vm, { from: first, to }, now)
      return { truth, counted: { netin: row?.inBytes ?? 0, netout: row?.outBytes ?? 0 } }
    },
  }
}

describe('the count of a server that is restarted, migrated and not looked at for two hours', () => {
  const seeds = Array.from({ length: 20 }, (_, index) => SEED + index)

  test.each([
    ['with the history of Proxmox VE 8', false],
    ['with the finer one of Proxmox VE 9', true],
  ])('is within two percent of the truth, %s', (_, hostMetrics) => {
    const off = seeds.flatMap((seed) => {
      const { truth, counted } = world(seed, hostMetrics).live()
      expect(truth.netout).toBeGreaterThan(0)
      return (['netin', 'netout'] as const).map((key) => ({
        seed,
        share: counted[key] / truth[key],
      }))
    })
    expect(off.filter(({ share }) => share < 0.98 || share > 1.02)).toEqual([])
  })
})

import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { passes } from '#pve-sim/packets/passes.ts'
import { api } from '#shared/api/index.ts'
import { tokens } from '../../db/schema/stock.ts'
import { startsOf } from '../../hypervisor/testing/starts-of.ts'
import { testApp } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { soldWith } from '../../traffic/testing/sold-with.ts'
import { backupCalls, chooseBackupStorage } from '../testing/backups.ts'
import { asBegins, type Bend, broken } from '../testing/by-hand.ts'
import { openFirewalls, SSH } from '../testing/firewalls.ts'
import type { SoldServer } from '../testing/reinstalls.ts'

const RUNS = process.env.LONG === '1' ? 60 : 6
const TIMEOUT_MS = process.env.LONG === '1' ? 1_800_000 : 180_000

/** What a client has now: kept by the test itself, never read from the cluster. */
type Present = {
  address: string
  cores: number
  memory: number
  diskGb: number
  rateMbit: number | null
  ports: string
  isMailOpen: boolean
}

type Change =
  | { what: 'address'; isInCluster: boolean }
  | { what: 'size'; cores: number; memory: number }
  | { what: 'disk'; moreGb: number }
  | { what: 'rate'; rateMbit: number | null; isSwept: boolean }
  | { what: 'rules'; ports: string }
  | { what: 'mail'; isOpen: boolean }
  | { what: 'password' }

const rate = fc.record({
  what: fc.constant('rate' as const),
  rateMbit: fc.constantFrom(null, 20, 100, 500),
  isSwept: fc.boolean(),
})
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ what: fc.constant('address' as const), isInCluster: fc.boolean() }),
  fc.record({
    what: fc.constant('size' as const),
    cores: fc.integer({ min: 1, max: 8 }),
    memory: fc.constantFrom(1024, 2048, 4096, 8192),
  }),
  fc.record({ what: fc.constant('disk' as const), moreGb: fc.integer({ min: 1, max: 9 }) }),
  rate,
  fc.record({
    what: fc.constant('rules' as const),
    ports: fc.constantFrom('22', '80', '443', '8080'),
  }),
  fc.record({ what: fc.constant('mail' as const), isOpen: fc.boolean() }),
  fc.record({ what: fc.constant('password' as const) }),
)
/** What can still change while the server is held by the job: what its package grants. */
const lateChange: fc.Arbitrary<Change> = rate.map((one) => ({ ...one, isSwept: false }))
const WAYS = ['restore', 'rollback'] as const
/** The steps that both jobs have; undefined is a job that goes well. */
const FAILS = [undefined, undefined, 'configure', 'firewall', 'start'] as const

describe.each(BOTH_DATABASES)('after any changes, on %s', async (database) => {
  const t = await testApp({ sim: true, database })
  const our = await openFirewalls(t)
  const kept = backupCalls(t, our)
  const { hand, shop } = our
  await chooseBackupStorage(t.db, 'local')

  const sold = async () => {
    const server = await our.server()
    const first = { backupLimit: 3, rateMbit: 50 }
    await soldWith(t, server.tokenId, first)
    await hand.rateSweep()
    const present: Present = {
      address: await our.addressOf(server),
      cores: 2,
      memory: 2048,
      diskGb: 20,
      rateMbit: 50,
      ports: '22',
      isMailOpen: false,
    }
    await make(server, present, { what: 'size', cores: 2, memory: 2048 })
    await make(server, present, { what: 'rules', ports: '22' })
    return { server, present }
  }

  const make = async (server: SoldServer, present: Present, one: Change): Promise<void> => {
    const params = { id: server.id }
    const { config } = our.vmOf(server)
    switch (one.what) {
      case 'address': {
        const { ipAddress } = shop.form()
        present.address = ipAddress
        await t.db.update(tokens).set({ ipAddress }).where(eq(tokens.id, server.tokenId))
        if (!one.isInCluster) return
        config.ipconfig0 = (config.ipconfig0 ?? '').replace(/ip=[^/]+/, `ip=${ipAddress}`)
        return
      }
      case 'size': {
        const { cores, memory } = one
        Object.assign(present, { cores, memory })
        Object.assign(config, { cores: String(cores), memory: String(memory) })
        return
      }
      case 'disk':
        present.diskGb += one.moreGb
        config.scsi0 = (config.scsi0 ?? '').replace(/size=\w+/, `size=${present.diskGb}G`)
        return
      case 'rate':
        present.rateMbit = one.rateMbit
        await soldWith(t, server.tokenId, { rateMbit: one.rateMbit })
        if (one.isSwept) await hand.rateSweep()
        return
      case 'rules': {
        present.ports = one.ports
        const { status } = await our.put(server.user, server, [{ ...SSH, ports: one.ports }])
        expect(status).toBe(200)
        expect((await our.confirm(server.user, server)).status).toBe(200)
        return
      }
      case 'mail':
        present.isMailOpen = one.isOpen
        await shop.admin.call(api.network.setMail, { params, body: { isOpen: one.isOpen } })
        return
      case 'password': {
        const { jobId } = await t.as(server.user).call(api.servers.password, { params })
        await hand.runToEnd(jobId)
      }
    }
  }

  /** What the cluster would let the server be at this moment. */
  const inForce = (server: SoldServer, addresses: readonly string[]) => {
    const vm = our.vmOf(server)
    const { cores, memory, net0 = '', ipconfig0 = '', scsi0 = '', ciuser } = vm.config
    const mac = /([0-9A-F]{2}:){5}[0-9A-F]{2}/.exec(net0)?.[0] ?? ''
    const can = (source: string, dport: number) =>
      (['iptables', 'nftables'] as const).every((backend) =>
        passes(t.sim.state, vm, { mac, source, proto: 'tcp', dport }, backend),
      )
    return {
      address: /ip=([^/]+)/.exec(ipconfig0)?.[1],
      cores: Number(cores),
      memory: Number(memory),
      diskGb: Number(/size=(\d+)G/.exec(scsi0)?.[1]),
      rate: /(?:^|,)rate=([^,]+)/.exec(net0)?.[1],
      mac,
      user: ciuser,
      password: vm.guest.password,
      ports: our.rulesOf(server).filter((rule) => rule.startsWith('in ')),
      sendsFrom: addresses.filter((address) => can(address, 443)),
      mailsFrom: addresses.filter((address) => can(address, 25)),
    }
  }

  const expected = async (server: SoldServer, present: Present) => {
    const { address, cores, memory, diskGb, rateMbit, ports, isMailOpen } = present
    const { stored } = await our.logins(server)
    return {
      address,
      cores,
      memory,
      diskGb,
      rate: rateMbit === null ? undefined : String(Number((rateMbit / 8.388608).toFixed(4))),
      user: stored.user,
      password: stored.password,
      ports: [`in ACCEPT ${ports}`, 'in DROP all'],
      sendsFrom: [address],
      mailsFrom: isMailOpen ? [address] : [],
    }
  }

  const history = fc.record({
    way: fc.constantFrom(...WAYS),
    before: fc.array(change, { maxLength: 3 }),
    since: fc.array(change, { minLength: 1, maxLength: 6 }),
    late: fc.array(lateChange, { maxLength: 2 }),
    fails: fc.constantFrom(...FAILS),
  })

  type History = typeof history extends fc.Arbitrary<infer T> ? T : never

  /** Goes one way back, and looks at every start of the VM. */
  const goBack = async ({ way, before, since, late, fails }: History) => {
    const { server, present } = await sold()
    const { mac } = inForce(server, [])
    const addresses = [present.address]
    const makeAll = async (changes: readonly Change[]) => {
      for (const one of changes) {
        await make(server, present, one)
        addresses.push(present.address)
      }
    }
    await makeAll(before)
    const point = way === 'restore' ? await kept.make(server) : await our.take(server)
    await makeAll(since)
    const jobId =
      way === 'restore'
        ? await kept.begin(kept.askRestore(server.user, server, point.id))
        : await our.beginBack(server, point.id)
    const known = [...new Set(addresses)]
    const starts = startsOf(t.sim, server.vmId, () => inForce(server, known))
    const bend: Bend = (steps, kind) => {
      const bent = asBegins('configure', () => makeAll(late))(steps, kind)
      return fails === undefined ? bent : broken(fails)(bent, kind)
    }
    await hand.run(jobId, bend)
    const { state } = await shop.jobRow(jobId)
    expect(state).toBe(fails === undefined ? 'done' : 'failed')
    const wanted = { mac, ...(await expected(server, present)) }
    expect(starts.length).toBeGreaterThan(0)
    // One that a later failure takes back is a start, too.
    for (const started of starts) expect(started).toEqual(wanted)
    expect(inForce(server, known)).toEqual(wanted)
    expect(our.vmOf(server).qmp).toBe('running')
  }

  /** Everything at once, so that each guard is asked each time. */
  const ALL: Change[] = [
    { what: 'address', isInCluster: false },
    { what: 'size', cores: 5, memory: 4096 },
    { what: 'disk', moreGb: 7 },
    { what: 'rate', rateMbit: 100, isSwept: false },
    { what: 'rules', ports: '8080' },
    { what: 'mail', isOpen: true },
    { what: 'password' },
  ]
  /** A rate that is lifted while the job runs leaves nothing that says that we had limited it. */
  const cases = WAYS.flatMap((way) =>
    FAILS.slice(1).flatMap((fails) => [20, null].map((rateMbit) => ({ way, fails, rateMbit }))),
  )
  test.each(cases)(
    'all of it holds, by $way with a failure at $fails and a rate of $rateMbit meanwhile',
    ({ way, fails, rateMbit }) => {
      const late: Change[] = [{ what: 'rate', rateMbit, isSwept: false }]
      return goBack({ way, fails, before: [], since: ALL, late })
    },
  )

  test(
    'what is sold now holds before the server starts with an older disk',
    () => fc.assert(fc.asyncProperty(history, goBack), { numRuns: RUNS }),
    TIMEOUT_MS,
  )
})

import { isDemoGuest, sshPortOf } from '#shared/rules/network/ssh-port.ts'
import type { Audit } from '../audit/audit-log.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import type { EventBus } from '../events/event-bus.ts'
import { createQueue } from '../lib/async/semaphore.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { readHostKeys } from '../ssh/read-host-keys.ts'
import { askableAddresses } from './askable-addresses.ts'
import { storeHostKeys } from './host-key-rows.ts'
import { type DueServer, dueServers, takeLook } from './looks.ts'

const AT_ONCE = 4
/** For one server, and for one sweep; the rest is left to the next one. */
const SERVER_MS = 4000
const SWEEP_MS = 15_000
const DEMO_GUEST_MS = 14_000
const MOST = 50

type SweepDeps = {
  config: Pick<Config, 'demo'>
  db: Db
  clock: Clock
  events: EventBus
  log: Log
  audit: Audit
  /** Reads from the network, unless a test says otherwise. */
  read?: typeof readHostKeys
}

/** Looks at the host keys of servers, soon after their delivery and once a day afterwards. */
export function createHostKeySweep({ read = readHostKeys, ...deps }: SweepDeps) {
  const { config, db, clock, log } = deps
  const closing = new AbortController()

  const look = async (server: DueServer, isAskable: boolean, signal: AbortSignal) => {
    if (signal.aborted || !(await takeLook(db, server, clock.now()))) return
    if (!isAskable) return
    const { address } = server
    const timeoutMs = isDemoGuest(address) ? DEMO_GUEST_MS : SERVER_MS
    const place = { address, port: sshPortOf(address), timeoutMs, signal }
    const reading = await read(place)
    if (reading.is !== 'keys') return
    const seen = { instanceId: server.id, tokenId: server.tokenId, keys: reading.keys }
    await db.transaction((tx) => storeHostKeys(tx, { ...seen, now: clock.now() }, deps))
  }

  return {
    async sweep(): Promise<void> {
      const servers = await dueServers(db, clock.now(), MOST)
      if (servers.length === 0) return
      const isAskable = await askableAddresses(db, config)
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(SWEEP_MS)])
      const inQueue = createQueue(AT_ONCE)
      const looks = servers.map((server) =>
        inQueue(() => look(server, isAskable(server.address), signal)),
      )
      for (const result of await Promise.allSettled(looks)) {
        if (result.status === 'fulfilled') continue
        log.warn({ err: result.reason }, 'the host keys of a server were not stored')
      }
    },
    /** Ends what is under way: closing the server waits for no one on the network. */
    close: () => closing.abort(),
  }
}

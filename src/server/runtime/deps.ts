import type { Audit } from '../audit/audit-log.ts'
import type { Config } from '../config/config.ts'
import type { Database, Db } from '../db/database.ts'
import type { EventBus } from '../events/event-bus.ts'
import type { Hypervisors } from '../hypervisor/hypervisors.ts'
import type { ClusterLinks } from '../inventory/clusters/cluster-links.ts'
import type { InventorySync } from '../inventory/sync/inventory-sync.ts'
import type { InstanceList } from '../inventory/views/instance-list.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Background } from '../lib/background.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Random } from '../lib/random.ts'
import type { Keyring } from '../secrets/keyring.ts'
import type { TrafficCounter } from '../traffic/count/traffic-counter.ts'

/**
 * The dependencies of services. Time and randomness are injected, so that tests can control them.
 */
export type Deps = {
  config: Config
  database: Database
  db: Db
  clock: Clock
  random: Random
  keyring: Keyring
  events: EventBus
  jobs: Jobs
  hypervisors: Hypervisors
  links: ClusterLinks
  sync: InventorySync
  instanceList: InstanceList
  traffic: TrafficCounter
  background: Background
  log: Log
}

/** The dependencies of the steps of a job. */
export type JobDeps = Pick<
  Deps,
  'db' | 'clock' | 'random' | 'keyring' | 'events' | 'hypervisors' | 'log'
> & { audit: Audit }

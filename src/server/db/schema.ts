import * as accounts from './schema/accounts.ts'
import * as addresses from './schema/addresses.ts'
import * as firewalls from './schema/firewalls.ts'
import * as handovers from './schema/handovers.ts'
import * as idempotency from './schema/idempotency.ts'
import * as infrastructure from './schema/infrastructure.ts'
import * as ledger from './schema/ledger.ts'
import * as sales from './schema/sales.ts'
import * as serviceTime from './schema/service-time.ts'
import * as snapshots from './schema/snapshots.ts'
import * as sshKeys from './schema/ssh-keys.ts'
import * as stock from './schema/stock.ts'
import * as traffic from './schema/traffic.ts'
import * as work from './schema/work.ts'

/** Every table, for the tests that concern them all. Queries name theirs. */
export const schema = {
  ...accounts,
  ...addresses,
  ...firewalls,
  ...handovers,
  ...idempotency,
  ...infrastructure,
  ...ledger,
  ...sales,
  ...serviceTime,
  ...snapshots,
  ...sshKeys,
  ...stock,
  ...traffic,
  ...work,
}

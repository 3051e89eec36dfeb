import { BOOKS_KEPT } from './money/books.ts'
import { COUPONS } from './money/coupons.ts'
import { CREDIT } from './money/credit.ts'
import { MONERO } from './money/monero.ts'
import { MONEY } from './money/money.ts'
import { PACKAGE_CHANGE } from './money/package-change.ts'
import { PROVIDER_KEYS } from './money/provider-keys.ts'
import { WAYS } from './money/ways.ts'
import { numbered } from './mutant.ts'
import { ACCESS } from './people/access.ts'
import { KEYS_AND_ROLES } from './people/keys.ts'
import { WAYS_IN } from './people/ways-in.ts'
import { WEBHOOKS } from './people/webhooks.ts'
import { ADDRESSES } from './servers/addresses.ts'
import { ANSWERS } from './servers/answers.ts'
import { BACKUPS_MADE } from './servers/backups.ts'
import { FIREWALLS } from './servers/firewalls.ts'
import { MACHINES } from './servers/machines.ts'
import { REVERSE_DNS } from './servers/reverse-dns.ts'
import { SERVERS } from './servers/servers.ts'
import { SNAPSHOTS } from './servers/snapshots.ts'
import { TRAFFIC } from './servers/traffic.ts'

export const ALL = numbered([
  ...ACCESS,
  ...MONEY,
  ...CREDIT,
  ...BOOKS_KEPT,
  ...MACHINES,
  ...SERVERS,
  ...PACKAGE_CHANGE,
  ...ADDRESSES,
  ...SNAPSHOTS,
  ...FIREWALLS,
  ...TRAFFIC,
  ...REVERSE_DNS,
  ...WAYS_IN,
  ...WAYS,
  ...COUPONS,
  ...MONERO,
  ...PROVIDER_KEYS,
  ...KEYS_AND_ROLES,
  ...BACKUPS_MADE,
  ...WEBHOOKS,
  ...ANSWERS,
])

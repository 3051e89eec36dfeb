import { ACCESS } from './access.ts'
import { ADDRESSES } from './addresses.ts'
import { ANSWERS } from './answers.ts'
import { BACKUPS_MADE } from './backups.ts'
import { BOOKS_KEPT } from './books.ts'
import { COUPONS } from './coupons.ts'
import { CREDIT } from './credit.ts'
import { FIREWALLS } from './firewalls.ts'
import { KEYS_AND_ROLES } from './keys.ts'
import { MACHINES } from './machines.ts'
import { MONERO } from './monero.ts'
import { MONEY } from './money.ts'
import { numbered } from './mutant.ts'
import { PACKAGE_CHANGE } from './package-change.ts'
import { PROVIDER_KEYS } from './provider-keys.ts'
import { REVERSE_DNS } from './reverse-dns.ts'
import { SERVERS } from './servers.ts'
import { SNAPSHOTS } from './snapshots.ts'
import { TRAFFIC } from './traffic.ts'
import { WAYS } from './ways.ts'
import { WAYS_IN } from './ways-in.ts'
import { WEBHOOKS } from './webhooks.ts'

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

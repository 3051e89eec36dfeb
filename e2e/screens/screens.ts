import type { Screen } from './answers/screen-acts.ts'
import { COUPON_SCREENS } from './money/screens-coupons.ts'
import { CREDIT_SCREENS } from './money/screens-credit.ts'
import { PACKAGE_CHANGE_SCREENS } from './money/screens-package-change.ts'
import { PROVIDER_KEYS_SCREENS } from './money/screens-provider-keys.ts'
import { ADMIN_SCREENS } from './screens-admin.ts'
import { BACKUP_SCREENS } from './screens-backups.ts'
import { CLIENT_SCREENS } from './screens-client.ts'
import { HANDOVER_SCREENS } from './screens-handover.ts'
import { NETWORK_SCREENS } from './screens-network.ts'
import { SERVER_SCREENS } from './screens-server.ts'
import { SNAPSHOT_SCREENS } from './screens-snapshots.ts'
import { SSH_KEY_SCREENS } from './screens-ssh-keys.ts'
import { STATE_SCREENS } from './screens-states.ts'
import { TROUBLED_SCREENS } from './screens-trouble.ts'
import { VISITOR_SCREENS } from './screens-visitor.ts'
import { WAYS_IN_SCREENS } from './screens-ways-in.ts'

/** Every screen, for the screenshots and for axe. A new page gets a line in one of them. */
export const SCREENS: readonly Screen[] = [
  ...VISITOR_SCREENS,
  ...CLIENT_SCREENS,
  ...CREDIT_SCREENS,
  ...COUPON_SCREENS,
  ...SERVER_SCREENS,
  ...PACKAGE_CHANGE_SCREENS,
  ...HANDOVER_SCREENS,
  ...SNAPSHOT_SCREENS,
  ...BACKUP_SCREENS,
  ...NETWORK_SCREENS,
  ...SSH_KEY_SCREENS,
  ...WAYS_IN_SCREENS,
  ...PROVIDER_KEYS_SCREENS,
  ...ADMIN_SCREENS,
  ...STATE_SCREENS,
  ...TROUBLED_SCREENS,
]

import type { Screen } from './screen-acts.ts'
import { ADMIN_SCREENS } from './screens-admin.ts'
import { CLIENT_SCREENS } from './screens-client.ts'
import { HANDOVER_SCREENS } from './screens-handover.ts'
import { SERVER_SCREENS } from './screens-server.ts'
import { SSH_KEY_SCREENS } from './screens-ssh-keys.ts'
import { STATE_SCREENS } from './screens-states.ts'
import { TROUBLED_SCREENS } from './screens-trouble.ts'
import { VISITOR_SCREENS } from './screens-visitor.ts'

/** Every screen, for the screenshots and for axe. A new page gets a line in one of them. */
export const SCREENS: readonly Screen[] = [
  ...VISITOR_SCREENS,
  ...CLIENT_SCREENS,
  ...SERVER_SCREENS,
  ...HANDOVER_SCREENS,
  ...SSH_KEY_SCREENS,
  ...ADMIN_SCREENS,
  ...STATE_SCREENS,
  ...TROUBLED_SCREENS,
]

import type { QueryClient } from '@tanstack/react-query'
import type { Route } from '#shared/api/parts/route.ts'
import { isUnderWay, type PowerAct } from '#shared/rules/instance/instance-power.ts'
import { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { refresh } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { showToast } from '../../api/toasts.ts'
import { statusWord } from '../../lib/instance/instance-status.ts'
import { showStatus } from './power-cache.ts'
import { type Audience, endNotice } from './power-words.ts'
import type { Powered } from './powered.ts'

const POLL_MS = 2000
/** Longer than the server itself follows an action. */
const MAX_POLLS = 180

/** The user is signed out, or has no such server. */
const GONE = new Set([401, 403, 404])

type Following = {
  instance: Powered
  act: PowerAct
  audience: Audience
  refresh: readonly Route[]
}

/** How it reads the state of a server and shows a notice; a test passes its own. */
type Outside = {
  ask: (id: number) => Promise<{ status: string; failure: string | null }>
  tell: typeof showToast
}
const OUTSIDE: Outside = {
  ask: (id) => call(api.instances.status, { params: { id } }),
  tell: showToast,
}

/**
 * Polls a server whose power action takes longer than an answer until it is over, and reports the
 * result on whatever page its owner is by then.
 */
export async function followPower(
  client: QueryClient,
  following: Following,
  { ask, tell }: Outside = OUTSIDE,
): Promise<void> {
  const { instance, act, audience } = following
  for (let polls = 0; polls < MAX_POLLS; polls += 1) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    const seen = await stateOf(ask, instance.id)
    // The session or the server is gone: the lists show the rest.
    if (seen === 'gone') return
    if (seen === undefined || isUnderWay(seen.status)) continue
    const { status, failure } = seen
    showStatus(client, instance.id, status)
    void refresh(client, following.refresh)
    tell(endNotice(act, audience, { status, word: statusWord(status), failure }))
    return
  }
}

/** Undefined where no answer came this time: one lost poll does not end the following. */
const stateOf = async (ask: Outside['ask'], id: number) => {
  try {
    return await ask(id)
  } catch (error) {
    return error instanceof ApiError && GONE.has(error.status) ? 'gone' : undefined
  }
}

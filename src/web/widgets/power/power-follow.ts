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

const LOOK_MS = 2000
/** Longer than the server itself follows an act. */
const LOOKS = 180

/** Nobody is signed in, or there is no such server for them. */
const GONE = new Set([401, 403, 404])

type Following = {
  instance: Powered
  act: PowerAct
  audience: Audience
  refresh: readonly Route[]
}

/**
 * Looks at a server whose switching takes longer than an answer, until it is over, and says how it
 * ended: on whatever page its owner is by then.
 */
export async function followPower(client: QueryClient, following: Following): Promise<void> {
  const { instance, act, audience } = following
  for (let look = 0; look < LOOKS; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    const seen = await stateOf(instance.id)
    // The session or the server is gone: the lists say what they know.
    if (seen === 'gone') return
    if (seen === undefined || isUnderWay(seen.status)) continue
    const { status, failure } = seen
    showStatus(client, instance.id, status)
    void refresh(client, following.refresh)
    showToast(endNotice(act, audience, { status, word: statusWord(status), failure }))
    return
  }
}

/** Undefined where nobody answered this time: one look that is lost does not end the following. */
const stateOf = async (id: number) => {
  try {
    return await call(api.instances.status, { params: { id } })
  } catch (error) {
    return error instanceof ApiError && GONE.has(error.status) ? 'gone' : undefined
  }
}

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { currentConnection, listen, subscribeToConnection } from '../../api/events/events.ts'
import { isSessionGone, isSignedIn, leave } from '../../api/session.ts'
import { loginPath } from '../../lib/paths/paths.ts'

const GRACE_MS = 1_000

/** Keeps the pages fresh while a user is signed in; returns the state of the connection. */
export function useServerEvents() {
  const client = useQueryClient()
  useEffect(
    () =>
      listen(client, async () => {
        // Some session of this account ended. It need not be this one, and if it is, this page may
        // have ended it and be leaving already.
        await new Promise((resolve) => setTimeout(resolve, GRACE_MS))
        if (!isSignedIn(client)) return
        if (!(await isSessionGone(client))) return
        leave(client, loginPath({ next: location.pathname + location.search, ended: true }))
      }),
    [client],
  )
  return useSyncExternalStore(subscribeToConnection, currentConnection)
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import type { Args } from '#shared/api/parts/request.ts'
import type { RequestOf, ResponseOf, Route } from '#shared/api/parts/route.ts'
import { isSessionLost } from './api-error.ts'
import { send } from './call.ts'
import { doneNotice, failedNotice, type Saying } from './notices.ts'
import { refresh } from './query.ts'
import { type Notice, showToast } from './toasts.ts'

type Options<R extends Route> = {
  /** Why the call must not even be sent. */
  check?: (input: RequestOf<R>) => Notice | undefined
  done?: Saying<[result: ResponseOf<R>, input: RequestOf<R>]>
  failed?: Saying<[error: Error, input: RequestOf<R>]>
  /** The routes that are read again after success. */
  refresh?: readonly Route[]
}

export type Outcome<R extends Route> =
  | { ok: true; result: ResponseOf<R> }
  | { ok: false; error?: Error }

/**
 * One user action: the call, its toasts, and what is read again. Never throws. Does nothing when
 * triggered again while it runs.
 */
export function useAction<R extends Route>(route: R, options: Options<R> = {}) {
  const client = useQueryClient()
  const mutation = useMutation<ResponseOf<R>, Error, RequestOf<R>>({
    mutationFn: (input) => send(route, input) as Promise<ResponseOf<R>>,
  })

  /**
   * What runs now, known at the press itself. `isPending` changes only with the next render, and
   * until then a second click or a held Enter would get through. A press on another row is a
   * separate action.
   */
  const running = useRef(new Set<string>())

  async function run(...args: Args<R>): Promise<Outcome<R>> {
    const wish = JSON.stringify(args[0] ?? {})
    if (running.current.has(wish)) return { ok: false }
    running.current.add(wish)
    try {
      return await runOnce(...args)
    } finally {
      running.current.delete(wish)
    }
  }

  async function runOnce(...args: Args<R>): Promise<Outcome<R>> {
    const input = (args[0] ?? {}) as RequestOf<R>
    const refused = options.check?.(input)
    if (refused) {
      showToast({ tone: 'bad', ...refused })
      return { ok: false }
    }
    try {
      const result = await mutation.mutateAsync(input)
      if (options.refresh) void refresh(client, options.refresh)
      tell(doneNotice(options.done, result, input))
      return { ok: true, result }
    } catch (caught) {
      const error = caught instanceof Error ? caught : new Error(String(caught))
      // The sign-in page already says so.
      if (!isSessionLost(error)) tell(failedNotice(options.failed, error, input))
      return { ok: false, error }
    }
  }

  return { run, isPending: mutation.isPending, error: mutation.error }
}

const tell = (notice: Notice | undefined) => {
  if (notice) showToast(notice)
}

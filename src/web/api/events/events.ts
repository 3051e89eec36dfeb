import type { QueryClient } from '@tanstack/react-query'
import type { ServerEvent } from '#shared/api/overview/events.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { isKeyAbout } from '../request.ts'
import { api } from '../table.ts'
import { newsFilter, retryAfter } from './event-rules.ts'
import { noteJob } from './jobs.ts'

/** `quiet`: never connected; the pages poll as usual. */
export type Connection = 'quiet' | 'live' | 'reconnecting'

let connection: Connection = 'quiet'
const listeners = new Set<() => void>()

export const currentConnection = () => connection

export function subscribeToConnection(listener: () => void) {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

function setConnection(next: Connection) {
  if (next === connection) return
  connection = next
  for (const listener of listeners) listener()
}

/**
 * As far back as the server tells. A page that opens its first stream later than that, because it
 * was loaded in the background and looked at now, reads everything again instead.
 */
const MAX_AGE_MS = MINUTE_MS

/** A connection that returns within this time is not reported as lost. */
const REPORT_AFTER_MS = 1500

/**
 * Listens to the server while the page is visible: a browser allows six connections per server over
 * all its tabs, and a hidden tab needs none. Returns the function that stops it.
 */
export function listen(client: QueryClient, onSignedOut: () => Promise<void>): () => void {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let reportTimer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  const isNews = newsFilter()
  let hadConnection = false

  const lookAgain = () => void client.invalidateQueries({ refetchType: 'active' })

  function onMessage({ data, lastEventId }: MessageEvent<string>) {
    if (!isNews(lastEventId)) return
    const event = JSON.parse(data) as ServerEvent
    // Another session of this account ended, or this one has a new cookie: then listen with that at
    // once.
    if (event.type === 'signed-out') void onSignedOut().then(() => source && open())
    if (event.type === 'changed') readAgain(client, event.nouns)
    if (event.type === 'job') noteJob(client, event.job)
  }

  function open() {
    close()
    const age = ageOfPage()
    source = new EventSource(`${api.events.stream.path}?age=${Math.min(MAX_AGE_MS, age)}`)
    source.onmessage = onMessage
    source.onopen = () => {
      // Events may have been missed in between. A young page is told those of its first time.
      if (hadConnection || age > MAX_AGE_MS) lookAgain()
      hadConnection = true
      failures = 0
      clearTimeout(reportTimer)
      reportTimer = undefined
      setConnection('live')
    }
    source.onerror = () => {
      // A reconnect takes a moment; nothing is shown for that long.
      if (hadConnection)
        reportTimer ??= setTimeout(() => setConnection('reconnecting'), REPORT_AFTER_MS)
      // The browser retries by itself unless the server refused: then this code retries, and the
      // pages poll meanwhile.
      if (source?.readyState !== EventSource.CLOSED) return
      timer = setTimeout(() => {
        lookAgain()
        open()
      }, retryAfter(failures))
      failures += 1
    }
  }

  function close() {
    clearTimeout(timer)
    source?.close()
    source = undefined
  }

  const onVisibility = () => (document.hidden ? close() : open())
  document.addEventListener('visibilitychange', onVisibility)
  onVisibility()
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    clearTimeout(reportTimer)
    close()
    setConnection('quiet')
  }
}

/** Since when this page may have read what is no longer so, in milliseconds. */
const ageOfPage = () => Math.ceil(performance.now())

const readAgain = (client: QueryClient, nouns: readonly string[]) =>
  void client.invalidateQueries({
    predicate: ({ queryKey }) => nouns.some((noun) => isKeyAbout(noun, queryKey)),
  })

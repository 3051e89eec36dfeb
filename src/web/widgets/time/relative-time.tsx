import { exactTime, relativeTime, useNow } from '../../lib/format/time.ts'

/** "3 minutes ago", with the exact moment on hover. */
export function RelativeTime({ at }: { at: string | number }) {
  const now = useNow(30_000)
  const moment = new Date(at)
  return (
    <time dateTime={moment.toISOString()} title={exactTime(moment)}>
      {relativeTime(moment, now)}
    </time>
  )
}

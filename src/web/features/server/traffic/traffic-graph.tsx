import type { TrafficDay } from '#shared/api/servers/traffic.ts'
import { formatTraffic } from '../../../lib/format/traffic.ts'
import { barsOf, busiest, HEIGHT, total, WIDTH } from './bars.ts'

const date = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const dayText = (day: string) => date.format(new Date(day))

/** A bar for each of the last days, and the same as a table for those who do not see it. */
export function TrafficGraph({ days }: { days: readonly TrafficDay[] }) {
  const { bars, width } = barsOf(days)
  const most = busiest(days)
  const [first, last] = [days[0], days.at(-1)]
  return (
    <figure>
      <figcaption className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4 text-ink-soft text-xs">
        <span className="flex gap-4">
          <Key className="bg-idle-mark" label="In" />
          <Key className="bg-good-mark" label="Out" />
        </span>
        {most && (
          <span>
            Most on {dayText(most.day)}:{' '}
            <span className="tabular font-semibold text-ink">{formatTraffic(total(most))}</span>
          </span>
        )}
      </figcaption>
      <svg
        aria-hidden="true"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-28 w-full border-b"
      >
        {bars.map(({ day, x, inHeight, outHeight }) => (
          <g key={day}>
            <rect
              x={x}
              width={width}
              y={HEIGHT - inHeight}
              height={inHeight}
              className="fill-idle-mark"
            />
            <rect
              x={x}
              width={width}
              y={HEIGHT - inHeight - outHeight}
              height={outHeight}
              className="fill-good-mark"
            />
          </g>
        ))}
      </svg>
      {first && last && (
        <div
          aria-hidden="true"
          className="mt-1 flex justify-between text-ink-soft text-xs tabular-nums"
        >
          <span>{dayText(first.day)}</span>
          <span>{dayText(last.day)}</span>
        </div>
      )}
      <table className="sr-only">
        <caption>Traffic per day</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">In</th>
            <th scope="col">Out</th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, inBytes, outBytes }) => (
            <tr key={day}>
              <th scope="row">{dayText(day)}</th>
              <td>{formatTraffic(inBytes)}</td>
              <td>{formatTraffic(outBytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}

function Key({ className, label }: { className: string; label: string }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <span aria-hidden="true" className={`size-2.5 rounded-xs ${className}`} />
      {label}
    </span>
  )
}

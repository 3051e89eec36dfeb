import type { TrafficDay } from '#shared/api/servers/traffic.ts'

export type Bar = { day: string; x: number; inHeight: number; outHeight: number }

/** The width of the drawing, and its height, in units of its own. */
export const WIDTH = 300
export const HEIGHT = 60
const GAP = 2

/** One bar per day: what came in at the bottom, what went out above it. The highest fills it. */
export function barsOf(days: readonly TrafficDay[]): { bars: Bar[]; width: number } {
  const top = Math.max(...days.map(({ inBytes, outBytes }) => inBytes + outBytes), 1)
  const step = WIDTH / Math.max(1, days.length)
  return {
    width: step - GAP,
    bars: days.map(({ day, inBytes, outBytes }, index) => ({
      day,
      x: index * step,
      inHeight: (inBytes / top) * HEIGHT,
      outHeight: (outBytes / top) * HEIGHT,
    })),
  }
}

/** The day on which most has passed; undefined if nothing has. */
export function busiest(days: readonly TrafficDay[]): TrafficDay | undefined {
  const [first] = days.toSorted((a, b) => total(b) - total(a))
  return first && total(first) > 0 ? first : undefined
}

export const total = ({ inBytes, outBytes }: Omit<TrafficDay, 'day'>): number => inBytes + outBytes

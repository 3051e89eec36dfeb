import type { Traffic } from '#shared/api/parts/traffic.ts'
import type { Talker, TrafficDay } from '#shared/api/servers/traffic.ts'

const DAY_MS = 24 * 3_600_000
const GB = 1e9
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString()

export const TRAFFIC: Traffic = {
  inBytes: 212.4 * GB,
  outBytes: 918.7 * GB,
  counts: 'both',
  usedBytes: 1131.1 * GB,
  quotaBytes: 2000 * GB,
  from: inMs(-20 * DAY_MS),
  to: inMs(10 * DAY_MS),
  level: 0,
  slowMbit: 10,
}

export const USED_UP: Traffic = {
  ...TRAFFIC,
  outBytes: 1903.2 * GB,
  usedBytes: 2115.6 * GB,
  level: 100,
}

/** Weekends are quiet, and one day was not. */
export const DAYS: TrafficDay[] = Array.from({ length: 30 }, (_, index) => {
  const busy = index < 4 ? 0 : index === 21 ? 3.4 : 1 + 0.6 * Math.sin(index * 0.9)
  const day = new Date(Date.now() - (29 - index) * DAY_MS).toISOString().slice(0, 10)
  return { day, inBytes: Math.round(9 * GB * busy), outBytes: Math.round(34 * GB * busy) }
})

export const TALKERS: Talker[] = Array.from({ length: 9 }, (_, index) => ({
  id: index + 7,
  label: index === 1 ? 'Harbour-of-a-name-without-any-space-to-break-at' : `relay-${index + 1}`,
  client: { id: index, name: String(4_821_907 + index * 131) },
  cluster: 'Demo cluster',
  inBytes: Math.round((912 * GB) / (index + 1)),
  outBytes: Math.round((3480 * GB) / (index + 1)),
  isSlowed: index === 0,
}))

import { formatBytes } from '../../lib/format/bytes.ts'
import { daysText } from '../../lib/format/time-words.ts'

type Space = {
  usedBytes: number | null
  totalBytes: number | null
  oursBytes: number
  count: number
}

/** "812 GiB of 2 TiB used. 640 GiB in 214 backups." */
export function spaceText({ usedBytes, totalBytes, oursBytes, count }: Space): string {
  const ours = `${formatBytes(oursBytes)} in ${count === 1 ? '1 backup' : `${count} backups`}`
  if (usedBytes === null || totalBytes === null) {
    return `${ours}. The cluster does not say now how full it is.`
  }
  return `${formatBytes(usedBytes)} of ${formatBytes(totalBytes)} used. ${ours}.`
}

/** What the schedules do to it. */
export function forecastText(comingBytes: number, fullInDays: number | null): string {
  const coming =
    comingBytes === 0
      ? 'The schedules have all they keep.'
      : `The schedules need ${formatBytes(comingBytes)} more at most.`
  if (fullInDays === null) return coming
  const when = fullInDays === 0 ? 'now' : `in about ${daysText(fullInDays)}`
  return `${coming} It is full ${when}.`
}

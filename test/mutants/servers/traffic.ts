import type { Group } from '../mutant.ts'

const COUNT = ['src/server/traffic/count/counted.test.ts']
const POLLS = ['src/server/traffic/traffic.test.ts']
const RATES = ['src/server/traffic/rates.test.ts']

/** What is counted, and what a card is limited to. */
export const TRAFFIC: Group[] = [
  {
    file: 'src/server/traffic/count/sighting.ts',
    tests: COUNT,
    mutants: [
      [' && startOf(now) <= last.at + LAG_MS', ''],
      ['now.uptime >= last.uptime && ', ''],
      ['if (isOlder(last, now)) return undefined', ''],
      ['elapsed <= 0 || ', ''],
      [' || startOf(now) < startOf(last) - LAG_MS', ''],
      ['now.uptime < last.uptime || (', '('],
      [' && hasFallen(last, now))', ' && false)'],
      ['from - last.at > GAP_MS ? { from: last.at, to: from } : undefined', 'undefined'],
      ['if (now.at < last.at) return', 'if (false) return'],
    ],
  },
  {
    file: 'src/server/traffic/count/counted.ts',
    tests: COUNT,
    mutants: [
      ['partOf(part, within)', 'part'],
      ['level > before.noticed ? level : 0', 'level'],
      ['period.from.getTime() > stored.periodFrom.getTime()', 'false'],
      ['stored && !isNewPeriod ? stored :', 'stored ? stored :'],
    ],
  },
  {
    file: 'src/server/traffic/count/polls.ts',
    tests: COUNT,
    mutants: [['[...(before.get(vmId) ?? []), seen]', '[seen]']],
  },
  {
    file: 'src/server/traffic/healed.ts',
    tests: COUNT,
    mutants: [
      ['...pieces(coarse, {', '...pieces([], {'],
      ['to: Math.min(gap.to, fineFrom)', 'to: gap.to'],
    ],
  },
  {
    file: 'src/server/traffic/count/count-traffic.ts',
    tests: POLLS,
    mutants: [
      ['case when s."isNewPeriod" then 0 else t.in_bytes end', 't.in_bytes'],
      ['if (notice === 0) continue', 'continue'],
      ['in_bytes = t.in_bytes + excluded.in_bytes', 'in_bytes = excluded.in_bytes'],
    ],
  },
  {
    file: 'src/server/traffic/heal-sweep.ts',
    tests: POLLS,
    mutants: [
      ['if (!(error instanceof AppError)) throw error', 'throw error'],
      ['await db.delete(trafficGaps).where', 'await db.select().from(trafficGaps).where'],
    ],
  },
  {
    file: 'src/server/hypervisor/vm-config/card-rate.ts',
    tests: ['src/server/hypervisor/vm-config/card-rate.test.ts'],
    mutants: [
      ['1024 ** 2', '1e6'],
      ['!(rateMbit >= 1)', 'false'],
      ['Number(before) === Number(wanted)', 'before === wanted'],
    ],
  },
  {
    file: 'src/server/traffic/server-rate.ts',
    tests: RATES,
    mutants: [
      ['traffic.periodTo.getTime() > now.getTime()', 'true'],
      ['|| server.instance.marker === null', ''],
      [' && !isNew', ''],
      ['limited === null && !isNew', 'false'],
      [', eq(serverRates.attempt, attempt)', ''],
    ],
  },
  {
    file: 'src/server/traffic/rate-sweep.ts',
    tests: RATES,
    mutants: [
      ['rate.setAt === null || ', ''],
      [' || rate.rateMbit !== wanted', ''],
      ['return wanted !== null && ago(rate.setAt) > DAY_MS', 'return false'],
      ['ago(rate.failedAt) < RETRY_MS', 'false'],
      ['if (!(error instanceof AppError)) throw error', 'throw error'],
    ],
  },
]

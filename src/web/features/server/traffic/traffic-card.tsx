import { useQuery } from '@tanstack/react-query'
import type { Network } from '#shared/api/servers/network.ts'
import { mbitText } from '#shared/rules/network/traffic.ts'
import { query } from '../../../api/query.ts'
import { api } from '../../../api/table.ts'
import { calendarDay } from '../../../lib/format/time.ts'
import { formatTraffic } from '../../../lib/format/traffic.ts'
import { Note } from '../../../ui/feedback/note.tsx'
import { Progress } from '../../../ui/indicator/progress.tsx'
import { Card, CardBody, CardHeader } from '../../../ui/layout/card.tsx'
import { Fact, Facts } from '../../../widgets/facts/facts.tsx'
import { ListState } from '../../../widgets/list/list-state.tsx'
import { TrafficGraph } from './traffic-graph.tsx'

type TrafficCardProps = { id: number; network: Pick<Network, 'rateMbit' | 'traffic'> }

const POLL_MS = 30_000

const TONES = { 0: 'good', 80: 'warn', 100: 'bad' } as const

/** What has passed in this period, of how much, and on which days. */
export function TrafficCard({ id, network: { rateMbit, traffic } }: TrafficCardProps) {
  const { inBytes, outBytes, usedBytes, quotaBytes, counts, level, from, to } = traffic
  const days = useQuery({
    ...query(api.traffic.days, { params: { id } }),
    staleTime: 0,
    refetchInterval: POLL_MS,
  })
  return (
    <Card className="max-w-3xl" aria-label="Traffic">
      <CardHeader
        title="Traffic"
        description={`From ${calendarDay(new Date(from))} to ${calendarDay(new Date(to))}, then it is counted anew.`}
      />
      <CardBody className="space-y-5">
        <div>
          <p className="mb-2 flex flex-wrap items-baseline gap-x-2">
            <span className="tabular font-semibold text-xl">{formatTraffic(usedBytes)}</span>
            <span className="text-ink-soft">
              {quotaBytes === null ? 'used, unlimited' : `of ${formatTraffic(quotaBytes)}`}
            </span>
          </p>
          {quotaBytes !== null && (
            <Progress
              label="Traffic used"
              value={quotaBytes === 0 ? 1 : usedBytes / quotaBytes}
              tone={TONES[level]}
            />
          )}
        </div>
        <ListState query={days} failure="The traffic of the last days could not be loaded">
          {(list) => <TrafficGraph days={list} />}
        </ListState>
        {level === 100 && (
          <Note tone="warn">
            The traffic is used up. The server is slowed to {mbitText(rateMbit ?? traffic.slowMbit)}{' '}
            and stays reachable; it is back to full speed when the period ends.
          </Note>
        )}
      </CardBody>
      <Facts className="border-t px-5">
        <Fact term="To the server">
          {amount(inBytes, counts === 'both' || quotaBytes === null)}
        </Fact>
        <Fact term="From the server">{amount(outBytes, true)}</Fact>
        <Fact term="Rate in each direction">
          {rateMbit === null ? 'Unlimited' : mbitText(rateMbit)}
        </Fact>
      </Facts>
    </Card>
  )
}

const amount = (bytes: number, isCounted: boolean) => (
  <span className="tabular">
    {formatTraffic(bytes)}
    {!isCounted && <span className="text-ink-soft">, not counted</span>}
  </span>
)

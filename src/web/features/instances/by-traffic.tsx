import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ArrowDownUp } from 'lucide-react'
import { Link } from 'wouter'
import { TALKER_DAYS, type Talker } from '#shared/api/servers/traffic.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { formatTraffic } from '../../lib/format/traffic.ts'
import { serverPath } from '../../lib/paths/paths.ts'
import { useSearchParam } from '../../lib/paths/use-search-param.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Segments } from '../../ui/form/segments.tsx'
import { Badge } from '../../ui/indicator/badge.tsx'
import { Progress } from '../../ui/indicator/progress.tsx'
import { Card, CardBody, CardHeader } from '../../ui/layout/card.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { matcher } from '../../widgets/list/matcher.ts'

const LABELS = { 1: 'Today', 7: '7 days', 30: '30 days' }
const OPTIONS = TALKER_DAYS.map((days) => ({ value: String(days), label: LABELS[days] }))

const total = ({ inBytes, outBytes }: Talker) => inBytes + outBytes

/** The servers through which most has passed, most first. */
export function ByTraffic({ text }: { text: string }) {
  const [asked, setDays] = useSearchParam('days', '7')
  const days = OPTIONS.find(({ value }) => value === asked)?.value ?? '7'
  const talkers = useQuery({
    ...query(api.traffic.top, { query: { days: Number(days) } }),
    refetchInterval: MINUTE_MS,
    placeholderData: keepPreviousData,
  })
  return (
    <Card aria-label="Top talkers">
      <CardHeader
        title="Top talkers"
        description="Servers of clients, by what passed through their cards in both directions."
        action={<Segments label="Days" options={OPTIONS} value={days} onChange={setDays} />}
      />
      <ListState query={talkers} failure="The traffic could not be loaded">
        {(list) => <Talkers list={list} text={text} />}
      </ListState>
    </Card>
  )
}

function Talkers({ list, text }: { list: readonly Talker[]; text: string }) {
  const matches = matcher(text)
  const found = list.filter(({ label, client, cluster }) =>
    matches(label, client?.name ?? '', cluster),
  )
  const most = Math.max(...list.map(total), 1)
  if (found.length === 0) {
    return (
      <EmptyState icon={ArrowDownUp} title="No traffic found">
        {list.length === 0
          ? 'Nothing has passed through the servers of clients in these days.'
          : 'None of the busiest servers matches.'}
      </EmptyState>
    )
  }
  return (
    <CardBody>
      <ol className="space-y-4">
        {found.map((talker) => (
          <li key={talker.id}>
            <Row talker={talker} most={most} />
          </li>
        ))}
      </ol>
    </CardBody>
  )
}

function Row({ talker, most }: { talker: Talker; most: number }) {
  const { id, label, client, cluster, inBytes, outBytes, isSlowed } = talker
  return (
    <>
      <div className="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <div className="flex min-w-0 flex-wrap items-baseline gap-x-3">
          <Link href={`${serverPath(id)}?tab=network`} className="font-semibold wrap-anywhere">
            {label}
          </Link>
          <span className="text-ink-soft text-xs">
            {client ? `${client.name}, ${cluster}` : cluster}
          </span>
          {isSlowed && <Badge tone="warn">Slowed</Badge>}
        </div>
        <div className="tabular flex items-baseline gap-4">
          <span className="text-ink-soft text-xs">
            in {formatTraffic(inBytes)}, out {formatTraffic(outBytes)}
          </span>
          <span className="font-semibold">{formatTraffic(total(talker))}</span>
        </div>
      </div>
      <Progress label={`Share of ${label}`} value={total(talker) / most} />
    </>
  )
}

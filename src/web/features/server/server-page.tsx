import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, Server as ServerIcon } from 'lucide-react'
import { Link, useParams } from 'wouter'
import type { Server } from '#shared/api/overview/servers.ts'
import { isUnderWay } from '#shared/rules/instance/instance-power.ts'
import { ApiError } from '../../api/api-error.ts'
import { query } from '../../api/query.ts'
import { useMay, useMe } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { paths } from '../../lib/paths/paths.ts'
import { useSearchParam } from '../../lib/paths/use-search-param.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { buttonClass } from '../../ui/form/button.tsx'
import { Later } from '../../ui/indicator/later.tsx'
import { Skeleton } from '../../ui/indicator/skeleton.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { SubPages } from '../../ui/layout/sub-pages.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { noticesOf } from './notices-of.ts'
import { Overview } from './overview.tsx'
import { ServerHeader } from './server-header.tsx'

const ActivityTab = lazyPage(() => import('./activity/activity-tab.tsx'), 'ActivityTab')
const NetworkTab = lazyPage(() => import('./network-tab.tsx'), 'NetworkTab')
const ProxmoxTab = lazyPage(() => import('./proxmox-tab.tsx'), 'ProxmoxTab')
const RescueTab = lazyPage(() => import('./rescue/rescue-tab.tsx'), 'RescueTab')
const ServerNotices = lazyPage(() => import('./server-notices.tsx'), 'ServerNotices')
const BackupsTab = lazyPage(() => import('./backups/backups-tab.tsx'), 'BackupsTab')
const SnapshotsTab = lazyPage(() => import('./snapshots/snapshots-tab.tsx'), 'SnapshotsTab')
const UsageTab = lazyPage(() => import('./usage-tab.tsx'), 'UsageTab')

const POLL_MS = 15_000
const BUSY_POLL_MS = 3_000

const isAbsent = (error: unknown) =>
  error instanceof ApiError && (error.status === 404 || error.status === 400)

/** The page is read again by itself: the stream of news tells most changes, the poll the rest. */
const pace = (server: Server | undefined) =>
  server && (isUnderWay(server.status) || server.jobs.length > 0) ? BUSY_POLL_MS : POLL_MS

/** One server, for its client and for operators. */
export function ServerPage() {
  const id = Number(useParams().id)
  const server = useQuery({
    ...query(api.servers.get, { params: { id } }),
    staleTime: 0,
    refetchInterval: ({ state }) => pace(state.data),
  })
  const { role } = useMe()
  const list = role === 'client' ? paths.myInstances : paths.instances
  return (
    <div className="space-y-4">
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-3">
        <Link href={list} className={`${buttonClass({ variant: 'ghost', size: 'sm' })} -ml-3`}>
          <ArrowLeft aria-hidden="true" className="size-4" />
          {role === 'client' ? 'My Instances' : 'All instances'}
        </Link>
        <QueryFreshness query={server} />
      </div>
      {isAbsent(server.error) ? (
        <NoSuchServer list={list} />
      ) : (
        <ListState
          query={server}
          failure="The server could not be loaded"
          skeleton={<Skeleton className="h-96" />}
        >
          {(data) => <View server={data} />}
        </ListState>
      )}
    </div>
  )
}

/** The parts of the page, by their names in its address. */
const PARTS = {
  overview: Overview,
  usage: UsageTab,
  network: NetworkTab,
  snapshots: SnapshotsTab,
  backups: BackupsTab,
  rescue: RescueTab,
  activity: ActivityTab,
  proxmox: ProxmoxTab,
}
type Part = keyof typeof PARTS
const CHOICES = (Object.keys(PARTS) as Part[]).map((value) => ({
  value,
  label: value.replace(/^./, (letter) => letter.toUpperCase()),
}))

function View({ server }: { server: Server }) {
  const [asked, setPart] = useSearchParam('tab', 'overview')
  // The last one is for those who run the clusters.
  const mayRun = useMay('run')
  const parts = server.operator && mayRun ? CHOICES : CHOICES.slice(0, -1)
  const part = parts.find(({ value }) => value === asked)?.value ?? 'overview'
  const Part = PARTS[part]
  return (
    <div className="space-y-4">
      <Card aria-label={server.label}>
        <ServerHeader server={server} />
        {noticesOf(server).length > 0 && (
          <Later className="h-20">
            <ServerNotices server={server} />
          </Later>
        )}
      </Card>
      <SubPages label="Parts of the server’s page" pages={parts} current={part} onChoose={setPart}>
        <Later className="h-64">
          <Part server={server} />
        </Later>
      </SubPages>
    </div>
  )
}

function NoSuchServer({ list }: { list: string }) {
  return (
    <Card>
      <EmptyState
        icon={ServerIcon}
        title="There is no such server"
        action={
          <Link href={list} className={buttonClass({ variant: 'primary' })}>
            To the list of servers
          </Link>
        }
      >
        It has been deleted, or it never existed.
      </EmptyState>
    </Card>
  )
}

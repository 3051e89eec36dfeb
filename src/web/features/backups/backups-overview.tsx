import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { BackupOverview } from '#shared/api/servers/backups.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { exactTime } from '../../lib/format/time.ts'
import { daysText } from '../../lib/format/time-words.ts'
import { serverPath } from '../../lib/paths/paths.ts'
import { Card, CardBody, CardHeader } from '../../ui/layout/card.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { StorageList } from './storage-list.tsx'

/** The backups of all servers: what has none, what failed, and whether there is room. */
export function BackupsOverview() {
  const overview = useQuery({ ...query(api.backupOverview.get), refetchInterval: MINUTE_MS })
  return (
    <ListState query={overview} failure="The backups could not be loaded">
      {(data) => <View data={data} />}
    </ListState>
  )
}

function View({ data: { without, failed, left, storages } }: { data: BackupOverview }) {
  return (
    <div className="max-w-3xl space-y-4">
      <Card aria-label="Storages">
        <CardHeader
          title="Storages"
          description="Where backups are, and what the schedules of your clients still need."
        />
        <StorageList storages={storages} />
      </Card>
      <Part
        title="Without a backup"
        description="Servers whose package has backups, too long after their last one."
        none="Every server that can have a backup has a recent one."
        list={without.map(({ days, every, ...server }) => ({
          ...server,
          text: `${daysText(days)} without one, ${PACES[every]}`,
        }))}
      />
      <Part
        title="Failed"
        description="The last backup by schedule. It is tried again within hours."
        none="No scheduled backup failed."
        list={failed.map(({ at, why, ...server }) => ({
          ...server,
          text: `${exactTime(new Date(at))}: ${why}`,
        }))}
      />
      {left.length > 0 && <Left left={left} />}
    </div>
  )
}

const PACES = { none: 'no schedule', day: 'every day', week: 'every week' }

type PartProps = {
  title: string
  description: string
  none: string
  list: { instanceId: number; label: string; client: string | null; text: string }[]
}

function Part({ title, description, none, list }: PartProps) {
  return (
    <Card aria-label={title}>
      <CardHeader title={title} description={description} />
      {list.length === 0 ? (
        <CardBody className="text-ink-soft">{none}</CardBody>
      ) : (
        <ul className="divide-y">
          {list.map(({ instanceId, label, client, text }) => (
            <Row key={instanceId}>
              <Link href={`${serverPath(instanceId)}?tab=backups`} className="text-link">
                {label}
              </Link>
              {client !== null && <span className="text-ink-soft"> of {client}</span>}
              <p className="text-ink-soft">{text}</p>
            </Row>
          ))}
        </ul>
      )}
    </Card>
  )
}

const Row = ({ children }: { children: ReactNode }) => (
  <li className="break-words px-5 py-3">{children}</li>
)

function Left({ left }: Pick<BackupOverview, 'left'>) {
  return (
    <Card aria-label="Left over">
      <CardHeader
        title="Left over"
        description="Archives of servers that are gone. Each is deleted as soon as its cluster allows it."
      />
      <ul className="divide-y">
        {left.map(({ id, cluster, storage, volume, vmId, why }) => (
          <Row key={id}>
            <span className="wrap-anywhere font-mono">{volume ?? `${storage}, VM ${vmId}`}</span>
            <span className="text-ink-soft"> in {cluster}</span>
            {why !== null && <p className="text-ink-soft">{why}</p>}
          </Row>
        ))}
      </ul>
    </Card>
  )
}

import type { BackupOverview } from '#shared/api/servers/backups.ts'
import { Badge } from '../../ui/indicator/badge.tsx'
import { CardBody } from '../../ui/layout/card.tsx'
import { forecastText, spaceText } from './storage-words.ts'

/** Each storage with its space and what is to come. */
export function StorageList({ storages }: Pick<BackupOverview, 'storages'>) {
  if (storages.length === 0) {
    return (
      <CardBody className="text-ink-soft">
        No cluster has a storage for backups yet. Choose one among its settings, under Cluster
        Connections.
      </CardBody>
    )
  }
  return (
    <ul className="divide-y">
      {storages.map(({ cluster, storage, comingBytes, fullInDays, ...space }) => (
        <li key={`${cluster}/${storage}`} className="px-5 py-3">
          <p className="flex flex-wrap items-center gap-2">
            <span className="font-mono font-semibold">{storage}</span>
            <span className="text-ink-soft">on {cluster}</span>
            {fullInDays !== null && <Badge tone="warn">Will be full</Badge>}
          </p>
          <p className="text-ink-soft">{spaceText(space)}</p>
          <p className="text-ink-soft">{forecastText(comingBytes, fullInDays)}</p>
        </li>
      ))}
    </ul>
  )
}

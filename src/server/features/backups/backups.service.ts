import { eq, isNull } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { forecast } from '#shared/rules/instance/backup-forecast.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { backups } from '../../db/schema/snapshots.ts'
import type { BackupStorage } from '../../hypervisor/port/backups.ts'
import { settingsOf } from '../../inventory/clusters/cluster-store.ts'
import { answerOf } from '../../lib/async/patience.ts'
import type { BackupRow } from '../../provisioning/backups/backup-rows.ts'
import { backedServers } from '../../provisioning/backups/overview-rows.ts'
import type { Deps } from '../../runtime/deps.ts'

type BackupsDeps = Pick<Deps, 'db' | 'clock' | 'hypervisors' | 'log'>
type Backed = Awaited<ReturnType<typeof backedServers>>[number]

/** The backups of all servers, for operators. */
export function backupsService({ db, clock, hypervisors, log }: BackupsDeps) {
  /** Without an answer the rest of the page is still worth reading. */
  const storagesOf = async (clusterId: number): Promise<BackupStorage[]> => {
    try {
      return await answerOf(log, hypervisors.of(clusterId).hypervisor.backupStorages())
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      log.debug({ err: error, clusterId }, 'the storages for backups could not be read')
      return []
    }
  }

  const left = async () => {
    const rows = await db
      .select({ backup: backups, cluster: clusters.name })
      .from(backups)
      .innerJoin(clusters, eq(clusters.id, backups.clusterId))
      .where(isNull(backups.instanceId))
    return rows.map(({ backup: { id, storage, volume, vmId, failure: why }, cluster }) => ({
      id,
      cluster,
      storage,
      volume,
      vmId,
      why,
    }))
  }

  const storages = async (servers: readonly Backed[]) => {
    const made = await db.select().from(backups)
    const shown = []
    for (const cluster of await db.select().from(clusters).orderBy(clusters.name)) {
      const chosen = settingsOf(cluster).backupStorage
      const here = made.filter(({ clusterId }) => clusterId === cluster.id)
      const names = new Set([...(chosen ? [chosen] : []), ...here.map(({ storage }) => storage)])
      if (names.size === 0) continue
      const seen = await storagesOf(cluster.id)
      for (const storage of names) {
        const space = seen.find((one) => one.storage === storage)
        const own = here.filter((one) => one.storage === storage)
        const theirs = storage === chosen ? servers.filter((s) => s.clusterId === cluster.id) : []
        const free = space ? space.total - space.used : Number.POSITIVE_INFINITY
        shown.push({
          cluster: cluster.name,
          storage,
          usedBytes: space?.used ?? null,
          totalBytes: space?.total ?? null,
          oursBytes: sum(own),
          count: own.length,
          ...forecast(growing(theirs, own), free),
        })
      }
    }
    return shown
  }

  return {
    async overview() {
      const servers = await backedServers(db, clock.now())
      return {
        without: servers
          .flatMap(({ instanceId, label, client, days, schedule }) =>
            days === null
              ? []
              : [{ instanceId, label, client, days, every: schedule?.every ?? ('none' as const) }],
          )
          .toSorted((a, b) => b.days - a.days),
        failed: servers.flatMap(({ instanceId, label, client, schedule }) =>
          schedule?.failedAt
            ? [{ instanceId, label, client, at: schedule.failedAt, why: schedule.failure ?? '' }]
            : [],
        ),
        left: await left(),
        storages: await storages(servers),
      }
    },
  }
}

const sum = (rows: readonly BackupRow[]) =>
  rows.reduce((bytes, { sizeBytes }) => bytes + (sizeBytes ?? 0), 0)

/** A server without a backup is taken to be as large as the others. */
function growing(servers: readonly Backed[], made: readonly BackupRow[]) {
  const usual = made.length === 0 ? 0 : sum(made) / made.length
  return servers.flatMap(({ instanceId, schedule }) => {
    if (!schedule) return []
    const own = made.filter((one) => one.instanceId === instanceId)
    const { every, keep } = schedule
    return [
      {
        every,
        keep,
        made: own.filter(({ origin }) => origin === 'schedule').length,
        sizeBytes: own.at(-1)?.sizeBytes ?? usual,
      },
    ]
  })
}

/** What a package grants where its operator chose nothing else; also servers without a package. */
export const SNAPSHOT_QUOTA = 2
export const SNAPSHOT_DAYS = 7
/** The most that an operator can grant. */
export const MOST_SNAPSHOTS = 20
export const MOST_SNAPSHOT_DAYS = 10

export const SNAPSHOT_STATES = ['creating', 'ready', 'deleting'] as const

/** A thin pool or a ZFS pool that runs full stops every server on it. */
const LEAST_FREE = 0.15

type Room = { storage: string; used: number; total: number }

/** Why this storage is too full for another snapshot; undefined where it has room. */
export function roomRefusal({ used, total }: Room): string | undefined {
  const free = total > 0 ? (total - used) / total : 0
  if (free >= LEAST_FREE) return undefined
  const percent = Math.max(0, Math.floor(free * 100))
  return `The storage of this server has only ${percent} % free; a snapshot needs at least 15 %. Delete snapshots, or ask the operator.`
}

/** Why no more can be taken; undefined where one can. */
export function quotaRefusal(taken: number, quota: number): string | undefined {
  if (quota === 0) return 'Snapshots are not part of this package.'
  if (taken < quota) return undefined
  if (quota === 1) return 'The one snapshot of this server is taken. Delete it first.'
  return `All ${quota} snapshots of this server are taken. Delete one first.`
}

type Taken = { id: number; takenAt: Date | null; volume: string | null }

/**
 * Those that a rollback deletes. Some storages can go back only to the newest snapshot of a disk;
 * one of another disk, as before a reinstallation, is not in the way.
 */
export function lostWith<T extends Taken>(to: Taken, all: readonly T[], onlyNewest: boolean): T[] {
  if (!onlyNewest) return []
  const since = to.takenAt?.getTime() ?? 0
  return all.filter(
    ({ id, takenAt, volume }) =>
      id !== to.id && volume === to.volume && takenAt !== null && takenAt.getTime() >= since,
  )
}

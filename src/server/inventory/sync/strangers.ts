import { and, eq, isNotNull, or } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../../db/database.ts'
import { instances } from '../../db/schema/stock.ts'
import type { CachedVm } from '../../hypervisor/inventory-cache.ts'
import type { Hypervisor } from '../../hypervisor/port/hypervisor.ts'
import type { Clock } from '../../lib/clock.ts'
import { isHeldByJob } from '../vm/acts-under-way.ts'
import { isBare, isSameName } from './inventory-diff.ts'

/** Asked per round; the rest follows at the next poll. */
const PER_ROUND = 50
const AT_ONCE = 3
/** How long until a VM that is not ours is asked again: ours may be back in its place. */
const AGAIN_MS = 5 * MINUTE_MS

/** The VMs listed under our ids that must not be taken for ours. */
export type Strangers = {
  /** Other VMs that have the id by now: ours is gone. */
  others: ReadonlySet<number>
  /** Looks like another VM, and could not be asked yet: our row stays unchanged. */
  doubtful: ReadonlySet<number>
}

type Asked = { vm: CachedVm; row: Known; key: string; isOdd: boolean }
type Verdict = { key: string; isSame: boolean; at: number }
type Known = Awaited<ReturnType<typeof knownVms>>[number]

/**
 * An id is not an identity. After a restore, or after a deletion in Proxmox itself, another VM may
 * get the id: the list shows it in place of ours. So the VM of each row that a client or a token
 * has is asked for its identity once, and again whenever it reappears or has another name.
 */
export function createStrangers({ db, clock }: { db: Db; clock: Clock }) {
  const known = new Map<number, Map<number, Verdict>>()

  return async (
    clusterId: number,
    vms: readonly CachedVm[],
    hypervisor: Pick<Hypervisor, 'isSame'>,
  ): Promise<Strangers> => {
    const rows = new Map((await knownVms(db, clusterId)).map((row) => [row.vmId, row]))
    const before = known.get(clusterId)
    const verdicts = new Map<number, Verdict>()
    known.set(clusterId, verdicts)
    const at = clock.now().getTime()
    const queue: Asked[] = []
    for (const vm of vms) {
      const row = rows.get(vm.vmId)
      if (!row || isBare(vm) || isHeldByJob(row.status)) continue
      const key = `${row.id} ${vm.name}`
      const isOdd = row.missingSince !== null || !isSameName(row, vm.name)
      const last = before?.get(vm.vmId)
      const stands = last?.isSame ? row.missingSince === null : at - (last?.at ?? 0) < AGAIN_MS
      if (last?.key === key && stands) verdicts.set(vm.vmId, last)
      else queue.push({ vm, row, key, isOdd })
    }
    queue.sort((a, b) => Number(b.isOdd) - Number(a.isOdd))
    await askAll(queue.slice(0, PER_ROUND), hypervisor, ({ vm, key }, isSame) =>
      verdicts.set(vm.vmId, { key, isSame, at }),
    )
    const left = queue.filter(({ vm, isOdd }) => isOdd && !verdicts.has(vm.vmId))
    return {
      others: new Set([...verdicts].flatMap(([vmId, { isSame }]) => (isSame ? [] : [vmId]))),
      doubtful: new Set(left.map(({ vm }) => vm.vmId)),
    }
  }
}

/** While the cluster cannot answer, no VM counts as a stranger. */
async function askAll(
  queue: Asked[],
  hypervisor: Pick<Hypervisor, 'isSame'>,
  note: (asked: Asked, isSame: boolean) => void,
): Promise<void> {
  const ask = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { vm, row } = next
      const identity = { marker: row.marker ?? undefined, uuid: row.uuid ?? undefined }
      const address = { vmId: vm.vmId, node: vm.node, ...identity }
      note(next, await hypervisor.isSame(address))
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, ask))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}

/**
 * VMs that we made, and those that a client has or could buy. An operator's own VM may change
 * freely.
 */
const knownVms = (db: Db, clusterId: number) =>
  db
    .select({
      id: instances.id,
      vmId: instances.vmId,
      name: instances.name,
      status: instances.status,
      marker: instances.marker,
      uuid: instances.uuid,
      missingSince: instances.missingSince,
    })
    .from(instances)
    .where(
      and(
        eq(instances.clusterId, clusterId),
        or(
          isNotNull(instances.marker),
          and(
            isNotNull(instances.uuid),
            or(isNotNull(instances.ownerId), isNotNull(instances.tokenId)),
          ),
        ),
      ),
    )

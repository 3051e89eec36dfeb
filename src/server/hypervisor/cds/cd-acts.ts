import type { VmConfig, VmRef } from '#proxmox/calls/vm-answers.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import type { Clock } from '#proxmox/transport/clock.ts'
import { AppError } from '#shared/errors.ts'
import { configChanges } from '../disks/config-changes.ts'
import { volumeOf } from '../disks/vm-disks.ts'
import type { CdActs, CdPlan } from '../port/cds.ts'
import type { TaskOptions, VmAddress } from '../port/hypervisor.ts'
import { requireSame, type VmAccess } from '../vm/vm-access.ts'
import { onLatestConfig } from '../vm-config/latest-config.ts'
import { bootBefore, cdFirst, EMPTY, inserted, planOf } from './cd-drive.ts'

const refused = (message: string) =>
  new AppError('INVALID_STATE', message, { publicMessage: message })

const NO_DRIVE = 'All drives of this server are in use. Ask the operator to free one.'
const NOT_OFF = 'The server must be off before a CD is put in.'
const NOT_HERE =
  'The CD is not there any more, or not on the node of this server. Choose another one, or ask the operator.'

type Drives = Pick<CdActs, 'planCd' | 'insertCd' | 'bootAsBefore' | 'ejectCd'>
type Wanted = { set: Record<string, string>; unset?: string[] }

/**
 * CDs of a VM. Every function can be repeated after a crash at any moment: it looks at the
 * configuration first, and changes what differs.
 */
export function cdActs(
  client: ProxmoxClient,
  { access, clock }: { access: VmAccess; clock: Clock },
): Drives {
  const changes = configChanges(client, clock)

  const configAt = async (place: VmRef, vm: VmAddress): Promise<VmConfig> => {
    const config = await client.qemu.config(place)
    requireSame(config, vm)
    return config
  }

  const requireThere = async ({ node }: VmRef, volume: string) => {
    const at = { node, storage: volume.split(':')[0] ?? '' }
    const files = await client.storage.content(at, { content: 'iso' })
    if (!files.some(({ volid }) => volid === volume)) throw refused(NOT_HERE)
  }

  const isStopped = async (place: VmRef) => (await client.qemu.status(place)).status === 'stopped'

  /** Reads, decides, changes; again if another change was quicker. */
  const change = (
    vm: VmAddress,
    decide: (values: VmConfig['values'], place: VmRef) => Promise<Wanted> | Wanted,
    options: TaskOptions,
  ): Promise<void> =>
    access.at(vm, async (place) => {
      await changes.settle(place, options)
      await onLatestConfig(async () => {
        const { values, digest } = await configAt(place, vm)
        const { set, unset = [] } = await decide(values, place)
        if (Object.keys(set).length + unset.length === 0) return
        const isDone = async () => {
          const now = await decide((await configAt(place, vm)).values, place)
          return Object.keys(now.set).length + (now.unset?.length ?? 0) === 0
        }
        await changes.send(place, { set, unset, digest }, { isDone, options })
      })
    })

  return {
    planCd: (vm) =>
      access.config(vm, ({ values }) => {
        const plan = planOf(values)
        if (!plan) throw refused(NO_DRIVE)
        return plan
      }),

    insertCd: (vm, plan, volume, options = {}) =>
      change(
        vm,
        async (values, place) => {
          const boot = cdFirst({ ...values, [plan.slot]: EMPTY }, plan)
          const isIn = volumeOf(values[plan.slot]) === volume
          if (isIn && values.boot === boot) return { set: {} }
          if (!(await isStopped(place))) throw refused(NOT_OFF)
          if (isIn) return { set: { boot } }
          requireFree(values, plan)
          await requireThere(place, volume)
          return { set: { [plan.slot]: inserted(volume), boot } }
        },
        options,
      ),

    bootAsBefore: (vm, plan, options = {}) =>
      change(vm, (values) => bootBefore(values, plan), options),

    ejectCd: (vm, plan, volume, options = {}) =>
      change(
        vm,
        (values) => {
          const { set, unset } = bootBefore(values, plan)
          const isIn = volumeOf(values[plan.slot]) === volume
          return { set: isIn ? { [plan.slot]: EMPTY, ...set } : set, unset }
        },
        options,
      ),
  }
}

/** Another CD has come into the drive since: it is not ours to take out. */
function requireFree(values: VmConfig['values'], { slot }: CdPlan): void {
  if (values[slot] !== undefined && volumeOf(values[slot]) !== 'none') throw refused(NO_DRIVE)
}

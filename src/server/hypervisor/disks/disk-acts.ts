import type { VmConfig, VmRef } from '#proxmox/calls/vm-answers.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import type { Clock } from '#proxmox/transport/clock.ts'
import { AppError } from '#shared/errors.ts'
import type { BootDisk, DiskOrder, OldSystem, SpareDisks, SystemKind } from '../port/disks.ts'
import type { TaskOptions, VmAddress } from '../port/hypervisor.ts'
import { requireSame, type VmAccess } from '../vm/vm-access.ts'
import { parseSize } from '../vm-config/disk-size.ts'
import { configChanges } from './config-changes.ts'
import { diskSource } from './disk-source.ts'
import { volumesOfSnapshots } from './snapshot-volumes.ts'
import { readDisks, type VmDisks, withVolume } from './vm-disks.ts'

const refused = (message: string) => new AppError('INVALID_STATE', message)

type Look = VmDisks & { config: VmConfig }

const KIND = ['ostype', 'machine'] as const
type Wanted = { [key in keyof SystemKind]?: string | undefined }

/** Now, and from the next start on: a change that failed may have left another for that. */
const isOf = ({ system: { now, next } }: VmDisks, wanted: Wanted) =>
  KIND.every(
    (key) => wanted[key] === undefined || (now[key] === wanted[key] && next[key] === wanted[key]),
  )

/** What of it is to be set; an empty machine is to be deleted. */
function systemChange(disks: VmDisks, wanted: Wanted) {
  const changed = KIND.filter((key) => !isOf(disks, { [key]: wanted[key] }))
  const isSet = (key: keyof SystemKind) => wanted[key] !== ''
  return {
    set: Object.fromEntries(changed.filter(isSet).map((key) => [key, wanted[key] ?? ''])),
    unset: changed.filter((key) => !isSet(key)),
  }
}

/**
 * A new system in place of the old one, in steps that can each be repeated after a crash at any
 * moment. The configuration itself is the record of how far it got: the boot slot holds the old disk
 * or another one, and whatever left the slot is `unusedN`. Every change carries the digest of what
 * was looked at, so that a copy is never made twice.
 */
export function diskActs(
  client: ProxmoxClient,
  { access, clock }: { access: VmAccess; clock: Clock },
) {
  const changes = configChanges(client, clock)

  /** The first answer's digest guards decisions on both. */
  const look = async (place: VmRef, vm: VmAddress): Promise<Look> => {
    const config = await client.qemu.config(place)
    requireSame(config, vm)
    const current = await client.qemu.config(place, { current: true })
    return { config, ...readDisks(current, config, place.vmid) }
  }

  const requireStopped = async (place: VmRef): Promise<void> => {
    const { status, lock } = await client.qemu.status(place)
    if (lock === 'suspended') throw refused('The VM is hibernated: start it, then stop it.')
    if (status !== 'stopped') throw refused('The VM is running: stop it first.')
  }

  /** The old disk could not be removed afterwards. */
  const requireRemovable = async (
    place: VmRef,
    { values }: VmConfig,
    known: readonly string[],
  ): Promise<void> => {
    if (values.template === '1') throw refused('Templates keep their disks.')
    if (values.protection === '1') {
      throw refused('The VM is protected: switch its protection off first.')
    }
    const listed = await client.qemu.snapshots(place)
    const others = listed.filter(({ name }) => !known.includes(name))
    if (others.length === 0) return
    const names = others.map(({ name }) => name).join(', ')
    throw refused(`The VM has snapshots, which need its disk: remove them first (${names}).`)
  }

  const removeSpare = async (
    place: VmRef,
    vm: VmAddress,
    { keep, options }: { keep: readonly string[]; options: TaskOptions },
  ): Promise<void> => {
    const kept = new Set([...keep, ...(await volumesOfSnapshots(client, place))])
    const doomed = ({ spare }: VmDisks) => spare.filter(({ volume }) => !kept.has(volume))
    const now = await look(place, vm)
    const unset = doomed(now).map(({ key }) => key)
    if (unset.length === 0) return
    const isDone = async () => doomed(await look(place, vm)).length === 0
    await changes.send(place, { unset, digest: now.config.digest }, { isDone, options })
  }

  type Sent = {
    now: Look
    set: Record<string, string>
    unset?: string[]
    isDone: (disks: Look) => boolean
    options: TaskOptions
  }
  const putInSlot = async (place: VmRef, vm: VmAddress, sent: Sent): Promise<Look> => {
    const { now, set, unset = [], isDone, options } = sent
    await changes.send(
      place,
      { set, unset, digest: now.config.digest },
      { isDone: async () => isDone(await look(place, vm)), options },
    )
    const after = await look(place, vm)
    if (isDone(after)) return after
    throw new AppError('CLUSTER_UNAVAILABLE', 'The cluster accepted, but the VM is unchanged.')
  }

  type Back = {
    old: string
    system: Wanted
    isDone: (disks: Look) => boolean
    options: TaskOptions
  }
  const putBack = async (place: VmRef, vm: VmAddress, back: Back): Promise<void> => {
    const { old, system, isDone, options } = back
    const now = await look(place, vm)
    const hasDisk = (disks: Look) => disks.volume === old && disks.nextVolume === old
    if (hasDisk(now) && isOf(now, system)) return
    const isThere = now.volume === old || now.spare.some(({ volume }) => volume === old)
    if (!isThere) throw refused('The old disk is gone, and nothing was changed.')
    await requireStopped(place)
    const disk = hasDisk(now) ? {} : { [now.slot]: withVolume(now.entry, old) }
    const { set, unset } = systemChange(now, system)
    const change = { now, set: { ...disk, ...set }, unset, options }
    await putInSlot(place, vm, { ...change, isDone: (disks) => hasDisk(disks) && isDone(disks) })
  }

  return {
    bootDisk: (vm: VmAddress): Promise<BootDisk> =>
      access.at(vm, async (place) => {
        const { slot, entry, volume, spare, system } = await look(place, vm)
        const bytes = parseSize(entry)
        if (bytes === undefined) throw refused(`This VM has no disk ${slot}.`)
        const volumes = spare.map((disk) => disk.volume)
        return { slot, volume, sizeGb: bytes / 1024 ** 3, system: system.next, spare: volumes }
      }),

    replaceDisk: (
      vm: VmAddress,
      { template, old, storage, keepsSystem = false, snapshots = [] }: DiskOrder,
      options: TaskOptions = {},
    ): Promise<{ volume: string }> =>
      access.at(vm, async (place) => {
        await changes.settle(place, options)
        const now = await look(place, vm)
        if (now.volume !== old) {
          if (now.volume === '') throw refused(`This VM has no disk ${now.slot}.`)
          return { volume: now.volume }
        }
        await requireStopped(place)
        await requireRemovable(place, now.config, snapshots)
        const target = { node: place.node, config: now.config }
        const source = await diskSource({ client, access }, template, target)
        const file = `${storage ?? old.split(':')[0]}:0`
        const ostype = keepsSystem ? undefined : source.ostype
        const entry = withVolume(now.entry, file, source.volume)
        const set = { [now.slot]: entry, ...systemChange(now, { ostype }).set }
        const isDone = (disks: Look) => disks.volume !== old && disks.volume !== ''
        const { volume } = await putInSlot(place, vm, { now, set, isDone, options })
        return { volume }
      }),

    restoreDisk: (
      vm: VmAddress,
      old: string,
      { spare = [], system: wanted, ...options }: OldSystem & TaskOptions = {},
    ): Promise<void> =>
      access.at(vm, async (place) => {
        await changes.settle(place, options)
        const system: Wanted = wanted ?? {}
        const { ostype } = system
        await putBack(place, vm, {
          old,
          system,
          isDone: (disks) => isOf(disks, { ostype }),
          options,
        })
        // PVE pins the machine of a VM that becomes Windows, also of one that had none.
        await putBack(place, vm, { old, system, isDone: (disks) => isOf(disks, system), options })
        await removeSpare(place, vm, { keep: spare, options })
      }),

    dropReplacedDisks: (
      vm: VmAddress,
      { keep, spare = [] }: SpareDisks & { keep: string },
      options: TaskOptions = {},
    ): Promise<void> =>
      access.at(vm, async (place) => {
        await changes.settle(place, options)
        const { volume, nextVolume } = await look(place, vm)
        if (volume !== keep || nextVolume !== keep) {
          throw refused('The VM does not boot from the new disk, and nothing was removed.')
        }
        await removeSpare(place, vm, { keep: spare, options })
      }),
  }
}

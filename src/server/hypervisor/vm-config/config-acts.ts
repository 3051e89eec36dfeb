import type { ConfigChange } from '#proxmox/calls/qemu.ts'
import { portableCpu } from '#proxmox/calls/version.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import { AppError } from '#shared/errors.ts'
import { guestSetupChange } from '../guest/guest-setup.ts'
import type {
  GuestSetup,
  TaskOptions,
  VmAddress,
  VmSettings,
  VmSettingsChange,
} from '../port/hypervisor.ts'
import { follow } from '../vm/task-follow.ts'
import { requireSame, type VmAccess } from '../vm/vm-access.ts'
import { limitedCard } from './card-rate.ts'
import { ownDriveBack } from './cloud-init-drive.ts'
import { parseSize } from './disk-size.ts'
import { onLatestConfig } from './latest-config.ts'
import { readBootDisk, readSettings, settingsToKeys } from './vm-settings.ts'

const isEmpty = ({ set = {}, unset = [] }: ConfigChange) =>
  Object.keys(set).length + unset.length === 0

export function configActs(client: ProxmoxClient, access: VmAccess) {
  const config = (vm: VmAddress): Promise<VmSettings> =>
    access.at(vm, async (place) => {
      const [current, pending] = await Promise.all([
        client.qemu.config(place),
        client.qemu.pending(place),
      ])
      requireSame(current, vm)
      return readSettings(current, pending)
    })

  /** PVE before 8 does not know the default CPU type of our form (facts §0.3). */
  const portable = async (change: VmSettingsChange): Promise<VmSettingsChange> =>
    change.cpu === 'x86-64-v2-AES'
      ? { ...change, cpu: portableCpu(await client.version.get()) }
      : change

  return {
    config,
    async setConfig(vm: VmAddress, change: VmSettingsChange): Promise<VmSettings> {
      await access.own(vm, (place) => {
        const send = async () => {
          const current = await client.qemu.config(place)
          const keys = Object.entries(settingsToKeys(current, await portable(change)))
          if (keys.length === 0) return
          // An empty string is not a value: the key is deleted.
          const set = Object.fromEntries(keys.filter(([, value]) => value !== ''))
          const unset = keys.flatMap(([key, value]) => (value === '' ? [key] : []))
          const digest = change.digest ?? current.digest
          await follow(client, await client.qemu.setConfig(place, { set, unset, digest }))
        }
        return change.digest === undefined ? onLatestConfig(send) : send()
      })
      return config(vm)
    },
    prepare: (vm: VmAddress, setup: GuestSetup, options?: TaskOptions): Promise<void> =>
      access.own(vm, (place) =>
        onLatestConfig(async () => {
          const config = await client.qemu.config(place)
          const keys = guestSetupChange(config, setup)
          const drive = setup.user === undefined ? {} : ownDriveBack(config.values)
          const change = { ...keys, set: { ...keys.set, ...drive } }
          if (isEmpty(change)) return
          await follow(client, await client.qemu.setConfig(place, change), options)
        }),
      ),
    setRate: (vm: VmAddress, rateMbit: number | null): Promise<void> =>
      access.own(vm, (place) =>
        onLatestConfig(async () => {
          const { values, digest } = await client.qemu.config(place)
          const net0 = limitedCard(values.net0, rateMbit)
          if (net0 === values.net0) return
          await follow(client, await client.qemu.setConfig(place, { set: { net0 }, digest }))
        }),
      ),
    resize: (vm: VmAddress, diskGb: number, options?: TaskOptions): Promise<void> =>
      access.own(vm, async (place) => {
        const { values } = await client.qemu.config(place)
        const disk = readBootDisk(values)
        const size = parseSize(values[disk] ?? '')
        if (size === undefined) throw new AppError('INVALID_STATE', `This VM has no disk ${disk}.`)
        if (size >= diskGb * 1024 ** 3) return
        await follow(client, await client.qemu.resize(place, { disk, size: `${diskGb}G` }), options)
      }),
  }
}

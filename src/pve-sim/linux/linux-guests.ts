import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type GuestCable, guestCable } from '../packets/guest-cable.ts'
import type { ClusterData, Vm } from '../state/types.ts'
import { bootVolume } from '../vm/disks.ts'
import { cloudDrive } from './cloud-drive.ts'
import type { GuestImage } from './guest-image.ts'
import { guestAddress, networkOption } from './guest-network.ts'
import type { Accelerator } from './kvm.ts'
import { copySparse, newSystemDisk } from './system-disk.ts'

/** What was found on this machine for real guests. */
export type LinuxSupport = {
  /** How many run at once; a VM beyond that is simulated. */
  most: number
  /** Known once the image is there, with whose kernel it is tried. */
  accelerator: Promise<Accelerator>
  isBuilt: boolean
  /** Resolves when it is built. */
  image: Promise<GuestImage>
}

const MEMORY_MIB = 96
/** Translated code is kept up to this size. */
const CODE_MIB = 64
const FALLBACK_MAC = '52:54:00:12:34:56'

/** The kernel finds its disk by itself: NVMe and ext4 are part of it. */
const COMMAND_LINE = [
  'root=/dev/nvme0n1 rootfstype=ext4 rootwait rw init=/sbin/init devtmpfs.mount=1',
  'console=tty0 quiet loglevel=1 nomodeset net.ifnames=0',
  // Saves time under software emulation; the guest is alone on its machine.
  'mitigations=off init_on_alloc=0 cryptomgr.notests=1 audit=0 lsm=capability',
].join(' ')

const escaped = (file: string) => file.replaceAll(',', ',,')

const ACCELERATION: Record<Accelerator, string[]> = {
  kvm: ['-accel', 'kvm', '-cpu', 'host'],
  tcg: ['-accel', `tcg,tb-size=${CODE_MIB}`, '-cpu', 'max'],
}

type Machine = {
  vm: Vm
  address: string
  image: GuestImage
  disk: string
  drive: string
  cable: GuestCable
}

function hardwareOf(accelerator: Accelerator, machine: Machine): string[] {
  const { vm, address, image, disk, drive, cable } = machine
  const mac = /([0-9a-f]{2}:){5}[0-9a-f]{2}/i.exec(vm.config.net0 ?? '')?.[0] ?? FALLBACK_MAC
  return [
    ...ACCELERATION[accelerator],
    ...['-m', String(MEMORY_MIB), '-kernel', image.kernel, '-append', COMMAND_LINE],
    ...['-drive', `file=${escaped(disk)},format=raw,if=none,id=disk`],
    ...['-drive', `file=${escaped(drive)},format=raw,if=none,id=cidata,readonly=on`],
    ...['-device', `nvme,id=nvme,serial=${vm.vmid}`],
    ...['-device', 'nvme-ns,drive=disk,bus=nvme,nsid=1'],
    ...['-device', 'nvme-ns,drive=cidata,bus=nvme,nsid=2'],
    ...['-netdev', networkOption(address)],
    ...cable.options,
    ...['-device', `virtio-net-pci,netdev=network,mac=${mac},romfile=`],
  ]
}

type Places = {
  data: ClusterData
  /** The disk of a volume. */
  fileOf: (volume: string) => string
  /** For the cloud-init drives, which are written again at each start of a guest. */
  folder: string
}

/** The real guests of the cluster: their disks, their cloud-init drives, their machines. */
export function linuxGuests(support: LinuxSupport, { data, fileOf, folder }: Places) {
  const cables = new Map<number, GuestCable>()
  return {
    most: support.most,
    /** How many packets of a guest its firewall has dropped since it started. */
    dropped: (vmid: number) => cables.get(vmid)?.dropped,
    /** Whether this VM is one of them. */
    has: (vm: Vm) => guestAddress(vm) !== undefined && bootVolume(vm.config) !== '',
    /** The machine's options for QEMU; undefined if the image could not be built, which was told. */
    async hardware(vm: Vm): Promise<string[] | undefined> {
      const image = await support.image.catch(() => undefined)
      const address = guestAddress(vm)
      if (!image || address === undefined) return undefined
      const disk = fileOf(bootVolume(vm.config))
      if (!existsSync(disk)) await newSystemDisk(image, disk, vm.guest.os)
      const drive = join(folder, `${vm.vmid}.cidata`)
      const hostname = (vm.config.name ?? `vm-${vm.vmid}`).split('.')[0] ?? ''
      await writeFile(drive, cloudDrive(vm.config, hostname), { mode: 0o600 })
      cables.get(vm.vmid)?.close()
      const cable = await guestCable({ data, vm, address, folder }, 'network')
      cables.set(vm.vmid, cable)
      return hardwareOf(await support.accelerator, { vm, address, image, disk, drive, cable })
    },
    /** A disk that was never started has nothing to copy: its copy is made at its own start. */
    async copyDisk(from: string, to: string): Promise<void> {
      if (existsSync(fileOf(from))) await copySparse(fileOf(from), fileOf(to))
      else await rm(fileOf(to), { force: true })
    },
    removeDisk: (volume: string) => rm(fileOf(volume), { force: true }),
  }
}

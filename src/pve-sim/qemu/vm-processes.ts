import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type LinuxSupport, linuxGuests } from '../linux/linux-guests.ts'
import { stopVm } from '../state/cluster-state.ts'
import type { ClusterData, Vm } from '../state/types.ts'
import { bootVolume } from '../vm/disks.ts'
import { agentEnabled } from '../vm/vm-config.ts'
import { fileName, sectorHardware, vmDisks } from './disk-images.ts'
import type { Qemu } from './find-qemu.ts'
import { VmEndedError } from './qmp.ts'
import { startVm, type VmProcess } from './vm-process.ts'

type ProcessesDeps = {
  state: ClusterData
  qemu: Qemu | undefined
  /** How many run at once; any VM beyond that is simulated, as without QEMU. */
  most: number
  /** Where disks are kept; undefined: only while the simulator runs. */
  disks: string | undefined
  /** Real Linux guests, where this machine can run them. */
  linux: LinuxSupport | undefined
  now: () => number
  changed: () => void
}

type Entry = { vm: Vm; startedAt: number; isLinux: boolean; process: Promise<VmProcess> }

const SWEEP_MS = 100
const PRESS_MS = 250
const SHUTDOWN_MS = 15_000
/** A Linux that is still booting under software emulation hears the button late. */
const LINUX_SHUTDOWN_MS = 90_000
const VNC_PASSWORD_S = 30

/** A guest that is shutting down may exit before it answers. */
function unlessEnded(error: unknown): void {
  if (!(error instanceof VmEndedError)) throw error
}

export type VmProcesses = ReturnType<typeof vmProcesses>

/** Real processes behind VMs of the simulated cluster. The cluster's state is authoritative. */
export function vmProcesses({ state, qemu, most, disks, linux, now, changed }: ProcessesDeps) {
  const entries = new Map<number, Entry>()
  const isOn = qemu !== undefined && most > 0
  const folder = isOn ? mkdtempSync(join(tmpdir(), 'hushbox-vms-')) : ''
  const images = vmDisks(disks ?? folder)
  const fileOf = (volume: string) => join(disks ?? folder, `${fileName(volume)}.system`)
  const guests = isOn && linux ? linuxGuests(linux, { data: state, fileOf, folder }) : undefined
  if (isOn && disks) mkdirSync(disks, { recursive: true })

  const isCurrent = ({ vm, startedAt }: Entry) =>
    state.vms.get(vm.vmid) === vm && vm.qmp !== 'stopped' && vm.startedAt === startedAt

  /** Ends the process of any VM that the state lists as stopped, crashed or removed. */
  const sweep = setInterval(() => {
    for (const entry of entries.values()) if (!isCurrent(entry)) void end(entry)
  }, SWEEP_MS)
  sweep.unref()
  if (!isOn) clearInterval(sweep)

  async function end(entry: Entry): Promise<void> {
    if (entries.get(entry.vm.vmid) === entry) entries.delete(entry.vm.vmid)
    // A process that never came up needs no end, and its caller got the error.
    const [started] = await Promise.allSettled([entry.process])
    if (started.status === 'fulfilled') await started.value.kill()
  }

  /** The process exited by itself: for the cluster the VM is off. */
  function gone(entry: Entry): void {
    if (entries.get(entry.vm.vmid) !== entry) return
    entries.delete(entry.vm.vmid)
    if (!isCurrent(entry)) return
    stopVm(entry.vm, now())
    changed()
  }

  async function sectorMachine(vm: Vm, hostname: string): Promise<string[]> {
    const hears = !vm.guest.ignoresAcpi || (agentEnabled(vm.config) && vm.guest.agent !== 'none')
    const volume = bootVolume(vm.config) || `none:vm-${vm.vmid}-disk-0`
    return sectorHardware(await images.prepare(volume, { hostname, hearsPowerButton: hears }))
  }

  async function launch(vm: Vm, program: string, isLinux: boolean): Promise<VmProcess> {
    const name = vm.config.name ?? `vm-${vm.vmid}`
    const real = isLinux ? await guests?.hardware(vm) : undefined
    const hardware = real ?? (await sectorMachine(vm, name))
    return await startVm({ program, folder, vmid: vm.vmid, name, hardware })
  }

  /** Whether this VM gets one of the places for real guests. */
  function isLinuxNow(vm: Vm): boolean {
    const running = [...entries.values()].filter(({ isLinux }) => isLinux).length
    return guests ? guests.has(vm) && running < guests.most : false
  }

  const current = (vm: Vm) => {
    const entry = entries.get(vm.vmid)
    return entry && isCurrent(entry) ? entry : undefined
  }

  async function start(vm: Vm): Promise<VmProcess | undefined> {
    const known = entries.get(vm.vmid)
    if (known && isCurrent(known)) return await known.process
    if (known) await end(known)
    if (!qemu || !isOn || entries.size >= most) return undefined
    const isLinux = isLinuxNow(vm)
    const process = launch(vm, qemu.program, isLinux)
    const entry = { vm, startedAt: vm.startedAt, isLinux, process }
    entries.set(vm.vmid, entry)
    entry.process.then(
      ({ ended }) => ended.then(() => gone(entry)),
      () => gone(entry),
    )
    return await entry.process
  }

  const tell = async (vm: Vm, command: string) => {
    await (await current(vm)?.process)?.command(command)
  }

  return {
    /** The folder of the control sockets; undefined without real VMs. */
    folder: isOn ? folder : undefined,
    start,
    /** How many packets of a real guest its firewall has dropped. */
    dropped: (vmid: number) => guests?.dropped(vmid),
    /** Presses the power button until the guest exits: early in its boot it does not react. */
    async shutDown(vm: Vm): Promise<void> {
      const entry = current(vm)
      if (!entry) return
      const process = await entry.process
      // From here on its exit is expected.
      entries.delete(vm.vmid)
      const giveUp = performance.now() + (entry.isLinux ? LINUX_SHUTDOWN_MS : SHUTDOWN_MS)
      let isGone = false
      void process.ended.then(() => {
        isGone = true
      })
      try {
        while (!isGone && performance.now() < giveUp) {
          await process.command('system_powerdown').catch(unlessEnded)
          await Promise.race([process.ended, pause(PRESS_MS)])
        }
      } finally {
        if (!isGone) entries.set(vm.vmid, entry)
      }
      if (!isGone) throw new Error('VM quit/powerdown failed - got timeout')
    },
    async stop(vm: Vm): Promise<void> {
      const entry = entries.get(vm.vmid)
      if (entry) await end(entry)
    },
    reset: (vm: Vm) => tell(vm, 'system_reset'),
    pause: (vm: Vm) => tell(vm, 'stop'),
    resume: (vm: Vm) => tell(vm, 'cont'),
    /** A connection to the VM's own VNC server; undefined without a real process. */
    async screen(vm: Vm, password: string): Promise<Socket | undefined> {
      const process = vm.qmp === 'running' ? await start(vm) : await current(vm)?.process
      if (!process) return undefined
      await process.command('set_password', { protocol: 'vnc', password })
      await process.command('expire_password', { protocol: 'vnc', time: `+${VNC_PASSWORD_S}` })
      return await process.screen()
    },
    /** After a start of the simulator: the real guests that were running boot again. */
    async resumeGuests(): Promise<void> {
      for (const vm of state.vms.values()) {
        // A guest that cannot start is off, which its entry in the state says then.
        if (vm.qmp === 'running' && guests?.has(vm)) await Promise.allSettled([start(vm)])
      }
    },
    async copyDisk(from: string, to: string): Promise<void> {
      if (isOn) await images.copy(from, to)
      await guests?.copyDisk(from, to)
    },
    async removeDisks(volumes: readonly string[]): Promise<void> {
      if (isOn) await Promise.all(volumes.map(images.remove))
      if (guests) await Promise.all(volumes.map(guests.removeDisk))
    },
    async close(): Promise<void> {
      clearInterval(sweep)
      await Promise.all([...entries.values()].map(end))
      if (folder) rmSync(folder, { recursive: true, force: true })
    },
  }
}

import { stopVm } from '../state/cluster-state.ts'
import type { Vm } from '../state/types.ts'
import { bootDiskSize } from '../vm/disks.ts'
import { cpuCount, isWindows, memoryMiB } from '../vm/vm-config.ts'
import { guestAddresses } from './guest-network.ts'
import type { Facts } from './guest-text.ts'
import type { MachineDeps } from './machine.ts'

/** Seconds from power-on to the login prompt, when the agent answers too. */
export const BOOT_SECONDS = 8

type Clock = { now: () => number; seconds: (n: number) => number }

/** Ms until the guest is up: from then on its agent answers and it reacts to the power button. */
export const bootLeft = (sim: Clock, vm: Vm) =>
  Math.max(vm.startedAt, vm.resetAt ?? 0) + sim.seconds(BOOT_SECONDS) - sim.now()

export const isBooting = (sim: Clock, vm: Vm) => vm.qmp !== 'stopped' && bootLeft(sim, vm) > 0

/** What the guest knows about itself. */
function factsOf(vm: Vm, now: number): Facts {
  const windows = isWindows(vm.config)
  const addresses = guestAddresses(vm).flatMap(({ index, mac, addresses: list }) => {
    const first = list.find(({ family }) => family === 'ipv4') ?? list[0]
    const card = windows ? `Ethernet ${index}` : `eth${index}`
    return first ? [{ card, mac, cidr: `${first.address}/${first.prefix}` }] : []
  })
  return {
    os: vm.guest.os,
    windows,
    hostname: vm.config.name ?? `vm-${vm.vmid}`,
    vmid: vm.vmid,
    addresses,
    cores: cpuCount(vm.config),
    memoryMiB: memoryMiB(vm.config),
    diskGiB: Math.round(bootDiskSize(vm.config) / 1024 ** 3),
    now,
  }
}

/** cloud-init gave one user a password at boot; the agent may have set others since. */
function isPassword(vm: Vm, user: string, password: string): boolean {
  const set = vm.guest.passwords[user]
  if (set !== undefined) return set === password
  const { booted } = vm.guest
  return booted.user === user && booted.password !== '' && booted.password === password
}

export function machineDeps(vm: Vm, now: () => number, bootMs: number): MachineDeps {
  return {
    facts: () => factsOf(vm, now()),
    uptime: () => Math.max(0, now() - vm.startedAt),
    bootMs,
    isPassword: (user, password) => isPassword(vm, user, password),
    powerOff: () => stopVm(vm, now()),
  }
}

/** The user that cloud-init creates when none is named. */
export function defaultUser(vm: Vm): string {
  if (vm.config.ciuser) return vm.config.ciuser
  return isWindows(vm.config) ? 'Administrator' : 'root'
}

import { z } from 'zod'
import type { Caller, CallOptions } from '../transport/call.ts'
import { type Parameters, type ParameterValue, path } from '../wire/encoding.ts'
import { ProxmoxError } from '../wire/errors.ts'
import { maybeUpidAbout, upidAbout } from '../wire/upid.ts'
import { RrdRow, type Timeframe } from './rrd.ts'
import { supports, type VersionCalls } from './version.ts'
import { agentCalls } from './vm-agent.ts'
import { PendingValue, VmConfig, VmEntry, type VmRef, VmStatus } from './vm-answers.ts'
import { powerCalls } from './vm-power.ts'
import { snapshotCalls } from './vm-snapshots.ts'

export type CloneOptions = {
  newid: number
  name?: string | undefined
  description?: string | undefined
  pool?: string | undefined
  /** Cloning a template defaults to a linked clone, which stays on the template's storage. */
  full?: boolean | undefined
  /** Only with `full`. */
  storage?: string | undefined
  /** Only where all disks are on shared storage. */
  target?: string | undefined
}

export type ConfigChange = {
  set?: Readonly<Record<string, ParameterValue>>
  /** Keys to remove: setting an empty value does not remove a key. */
  unset?: readonly string[]
  /**
   * From the config this change is based on; PVE refuses the change if the config has changed
   * since.
   */
  digest?: string | undefined
}

/** A parameter that the version does not know fails the whole call with a 400. */
const GATED_KEYS = { ciupgrade: 'ciupgrade' } as const

export function qemuCalls(call: Caller, deps: { version: VersionCalls; slowMs: number }) {
  const { version, slowMs } = deps
  const slow = { deadlineMs: slowMs }

  const known = async (set: Parameters): Promise<Parameters> => {
    if (!Object.keys(set).some((key) => key in GATED_KEYS)) return set
    const running = await version.get()
    const isKnown = ([key]: [string, ParameterValue]) =>
      !(key in GATED_KEYS) || supports(running, GATED_KEYS[key as keyof typeof GATED_KEYS])
    return Object.fromEntries(Object.entries(set).filter(isKnown))
  }

  return {
    ...powerCalls(call, version),
    ...agentCalls(call, deps),
    ...snapshotCalls(call, deps),

    list: (node: string, options?: CallOptions): Promise<VmEntry[]> =>
      call.get(path`/nodes/${node}/qemu`, z.array(VmEntry), options),

    async status(vm: VmRef, options?: CallOptions): Promise<VmStatus> {
      const at = path`/nodes/${vm.node}/qemu/${vm.vmid}/status/current`
      const status = await call.get(at, VmStatus, options)
      if ((status.vmid ?? vm.vmid) === vm.vmid) return status
      throw new ProxmoxError({ kind: 'bad-answer' }, `GET ${at.path}: about VM ${status.vmid}`)
    },

    /** The config with pending values applied; `current` reads the running values. */
    config(vm: VmRef, options: CallOptions & { current?: boolean } = {}): Promise<VmConfig> {
      const { current, ...rest } = options
      const at = path`/nodes/${vm.node}/qemu/${vm.vmid}/config`
      return call.get(at, VmConfig, { ...rest, parameters: { current } })
    },

    pending: (vm: VmRef, options?: CallOptions): Promise<PendingValue[]> =>
      call.get(path`/nodes/${vm.node}/qemu/${vm.vmid}/pending`, z.array(PendingValue), options),

    /** What Proxmox writes into the VM's cloud-init drive. */
    cloudInit(vm: VmRef, type: 'meta' | 'network', options?: CallOptions): Promise<string> {
      const at = path`/nodes/${vm.node}/qemu/${vm.vmid}/cloudinit/dump`
      return call.get(at, z.string(), { ...options, parameters: { type } })
    },

    /** POST, not PUT: PUT works synchronously and is cut off after 30 s (facts §10). */
    async setConfig(vm: VmRef, change: ConfigChange, options?: CallOptions) {
      const unset = change.unset?.length ? change.unset : undefined
      const set = await known(change.set ?? {})
      const parameters = { ...set, delete: unset, digest: change.digest }
      const at = path`/nodes/${vm.node}/qemu/${vm.vmid}/config`
      return call.send('POST', at, maybeUpidAbout(vm.vmid), { ...options, parameters })
    },

    /**
     * The task carries the template's id. Never repeat a clone without looking first: see `find`.
     */
    clone(template: VmRef, options: CloneOptions, callOptions?: CallOptions): Promise<string> {
      const at = path`/nodes/${template.node}/qemu/${template.vmid}/clone`
      const given = { ...slow, ...callOptions, parameters: { ...options } }
      return call.send('POST', at, upidAbout(template.vmid), given)
    },

    /**
     * `size` is absolute (`40G`) or relative (`+8G`). 7.x works synchronously and returns no task.
     */
    resize(
      vm: VmRef,
      change: { disk: string; size: string; digest?: string },
      options?: CallOptions,
    ): Promise<string | undefined> {
      const at = path`/nodes/${vm.node}/qemu/${vm.vmid}/resize`
      const given = { ...slow, ...options, parameters: { ...change } }
      return call.send('PUT', at, maybeUpidAbout(vm.vmid), given)
    },

    /** VM ids are reused: the caller must have compared the VM's identity just before. */
    remove(vm: VmRef, options?: CallOptions): Promise<string> {
      const parameters = { purge: true, 'destroy-unreferenced-disks': true }
      const at = path`/nodes/${vm.node}/qemu/${vm.vmid}`
      return call.send('DELETE', at, upidAbout(vm.vmid), { ...slow, ...options, parameters })
    },

    rrddata: (vm: VmRef, timeframe: Timeframe, options?: CallOptions): Promise<RrdRow[]> => {
      const at = path`/nodes/${vm.node}/qemu/${vm.vmid}/rrddata`
      const parameters = { timeframe, cf: 'AVERAGE' }
      return call.get(at, z.array(RrdRow), { ...options, parameters })
    },
  }
}

export type QemuCalls = ReturnType<typeof qemuCalls>

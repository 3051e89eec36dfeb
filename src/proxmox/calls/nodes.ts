import { z } from 'zod'
import type { Caller, CallOptions } from '../transport/call.ts'
import type { UploadedFile } from '../transport/multipart.ts'
import { flag, maybeNumber, maybeText, number, text } from '../wire/answers.ts'
import { path } from '../wire/encoding.ts'
import { parseUpid } from '../wire/upid.ts'
import { RrdRow, type Timeframe } from './rrd.ts'

/** Without Sys.Audit PVE omits everything but name and status. */
export const NodeEntry = z.object({
  node: text,
  status: text,
  cpu: maybeNumber,
  maxcpu: maybeNumber,
  mem: maybeNumber,
  maxmem: maybeNumber,
  disk: maybeNumber,
  maxdisk: maybeNumber,
  uptime: maybeNumber,
  ssl_fingerprint: maybeText,
})
export type NodeEntry = z.output<typeof NodeEntry>

const Usage = z.object({ total: maybeNumber, used: maybeNumber, free: maybeNumber }).optional()

export const NodeStatus = z.object({
  uptime: maybeNumber,
  cpu: maybeNumber,
  wait: maybeNumber,
  loadavg: z.array(number).catch([]),
  cpuinfo: z
    .object({ model: maybeText, cores: maybeNumber, cpus: maybeNumber, sockets: maybeNumber })
    .optional(),
  memory: Usage,
  swap: Usage,
  rootfs: Usage,
  pveversion: maybeText,
  kversion: maybeText,
})
export type NodeStatus = z.output<typeof NodeStatus>

export const Storage = z.object({
  storage: text,
  type: text,
  content: maybeText.transform((value) => value?.split(',').filter(Boolean) ?? []),
  active: flag,
  enabled: flag,
  shared: flag,
  total: maybeNumber,
  used: maybeNumber,
  avail: maybeNumber,
})
export type Storage = z.output<typeof Storage>

export const NetworkInterface = z.object({
  iface: text,
  type: text,
  active: flag,
  autostart: flag,
  address: maybeText,
  netmask: maybeText,
  gateway: maybeText,
  cidr: maybeText,
  address6: maybeText,
  gateway6: maybeText,
  cidr6: maybeText,
  bridge_ports: maybeText,
  bridge_vlan_aware: flag,
  comments: maybeText,
})
export type NetworkInterface = z.output<typeof NetworkInterface>

export type NetworkType = 'any_bridge' | 'bond' | 'bridge' | 'eth' | 'vlan'

export function nodeCalls(call: Caller) {
  return {
    list: (options?: CallOptions): Promise<NodeEntry[]> =>
      call.get(path`/nodes`, z.array(NodeEntry), options),
    status: (node: string, options?: CallOptions): Promise<NodeStatus> =>
      call.get(path`/nodes/${node}/status`, NodeStatus, options),
    storage: (
      node: string,
      options: CallOptions & { content?: string; onlyEnabled?: boolean } = {},
    ): Promise<Storage[]> => {
      const { content, onlyEnabled: enabled, ...rest } = options
      const parameters = { content, enabled }
      return call.get(path`/nodes/${node}/storage`, z.array(Storage), { ...rest, parameters })
    },
    rrddata: (node: string, timeframe: Timeframe, options?: CallOptions): Promise<RrdRow[]> => {
      const parameters = { timeframe, cf: 'AVERAGE' }
      return call.get(path`/nodes/${node}/rrddata`, z.array(RrdRow), { ...options, parameters })
    },
    network: (
      node: string,
      options: CallOptions & { type?: NetworkType } = {},
    ): Promise<NetworkInterface[]> => {
      const { type, ...rest } = options
      const at = path`/nodes/${node}/network`
      return call.get(at, z.array(NetworkInterface), { ...rest, parameters: { type } })
    },
  }
}

const StoredVolume = z.object({
  volid: text,
  /** The VM that a disk or an archive belongs to, or once belonged to. */
  vmid: maybeNumber,
  size: maybeNumber,
  /** Seconds. */
  ctime: maybeNumber,
})
export type StoredVolume = z.output<typeof StoredVolume>

const upid = z.string().refine((value) => parseUpid(value) !== undefined, 'not a task')
const maybeUpid = upid.nullish().transform((value) => value ?? undefined)

/** A storage as one node sees it: a local one has other files on every node. */
type StorageRef = { node: string; storage: string }

export function storageCalls(call: Caller, { slowMs }: { slowMs: number }) {
  const within = ({ node, storage }: StorageRef) => path`/nodes/${node}/storage/${storage}/content`

  return {
    /** Archives of VMs that the account may not back up are left out silently (facts-2 §5). */
    content: (
      at: StorageRef,
      { content, vmid, ...options }: CallOptions & { content: 'backup' | 'iso'; vmid?: number },
    ): Promise<StoredVolume[]> =>
      call.get(within(at), z.array(StoredVolume), { ...options, parameters: { content, vmid } }),

    /**
     * Has the node fetch a file itself. One of this name that is there already is kept if its
     * checksum is the same.
     */
    downloadIso: (
      { node, storage }: StorageRef,
      { url, name, sha256 }: { url: string; name: string; sha256: string },
      options?: CallOptions,
    ): Promise<string> => {
      const parameters = {
        content: 'iso',
        url,
        filename: name,
        checksum: sha256,
        'checksum-algorithm': 'sha256',
        'verify-certificates': true,
      }
      const at = path`/nodes/${node}/storage/${storage}/download-url`
      return call.send('POST', at, upid, { deadlineMs: slowMs, ...options, parameters })
    },

    /** Replaces a file of the same name without asking. The task copies it to its place. */
    uploadIso: (
      { node, storage }: StorageRef,
      file: UploadedFile,
      options?: CallOptions,
    ): Promise<string> => {
      const given = { deadlineMs: slowMs, ...options, parameters: { content: 'iso' }, file }
      return call.send('POST', path`/nodes/${node}/storage/${storage}/upload`, upid, given)
    },

    /** Succeeds if the file is already gone. */
    remove: (
      { node, storage }: StorageRef,
      volid: string,
      options?: CallOptions,
    ): Promise<string | undefined> =>
      call.send(
        'DELETE',
        path`/nodes/${node}/storage/${storage}/content/${volid}`,
        maybeUpid,
        options,
      ),
  }
}

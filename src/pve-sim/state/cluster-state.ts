import { randomBytes, randomUUID } from 'node:crypto'
import { endNetRun } from './net-runs.ts'
import { builtinRoles } from './privileges.ts'
import type { Acl, ClusterData, Token, User, Version, Vm } from './types.ts'
import { traits } from './versions.ts'

type AclEntry = Omit<Acl, 'propagate'> & { propagate?: boolean }

/** The cluster's data and the events that happen outside its API. */
export type ClusterState = ClusterData & {
  /** As another administrator would: the VM moves to another node, and if it runs, it runs on. */
  moveVm(vmid: number, node: string): void
  setNodeOnline(name: string, online: boolean): void
  addUser(user: Partial<User> & { userid: string }): User
  addToken(token: Partial<Token> & { userid: string; tokenid: string }): Token
  setAcl(entry: AclEntry): void
  addRole(roleid: string, privileges: string[]): void
  /** The process dies: stopped without a task, as after a crash. */
  crashVm(vmid: number): void
  /** Disks that belong to a VM by their name, and that no configuration mentions. */
  orphans(): string[]
}

type Hooks = { now: () => number; changed: () => void }

export function emptyCluster(version: Version): ClusterData {
  return {
    name: 'hushbox',
    version,
    standalone: false,
    newVncTicket: traits(version).newVncTicket,
    quorate: true,
    nodes: new Map(),
    vms: new Map(),
    storages: new Map(),
    volumes: new Map(),
    pools: new Map(),
    users: new Map(),
    tokens: new Map(),
    roles: new Map(builtinRoles(version)),
    acls: [],
    realms: [
      { realm: 'pam', type: 'pam', comment: 'Linux PAM standard authentication' },
      { realm: 'pve', type: 'pve', comment: 'Proxmox VE authentication server' },
    ],
    tasks: new Map(),
    nextPid: 1200,
    ticketKey: randomBytes(32).toString('hex'),
    clusterId: randomUUID(),
  }
}

function knownVm(data: ClusterData, vmid: number): Vm {
  const vm = data.vms.get(vmid)
  if (!vm) throw new Error(`The simulated cluster has no VM ${vmid}`)
  return vm
}

export function stopVm(vm: Vm, now: number): void {
  endNetRun(vm, now)
  delete vm.migratedAt
  vm.qmp = 'stopped'
  vm.pid = 0
  vm.startedAt = 0
}

function moveVm(data: ClusterData, vmid: number, node: string, now: number): void {
  if (!data.nodes.has(node)) throw new Error(`The simulated cluster has no node ${node}`)
  const vm = knownVm(data, vmid)
  vm.node = node
  if (vm.qmp !== 'stopped') {
    endNetRun(vm, now)
    vm.migratedAt = now
  }
  for (const volume of data.volumes.values()) {
    if (volume.vmid === vmid && volume.node && volume.content === 'images') volume.node = node
  }
}

function orphans(data: ClusterData): string[] {
  const mentioned = new Set<string>()
  for (const { config, pending, snapshots = [] } of data.vms.values()) {
    for (const values of [config, pending, ...snapshots.map((snapshot) => snapshot.config)]) {
      for (const value of Object.values(values)) mentioned.add((value ?? '').split(',')[0] ?? '')
    }
  }
  return [...data.volumes.values()].flatMap(({ volid, vmid, content }) =>
    // Archives outlive their VM.
    vmid === undefined || content !== 'images' || mentioned.has(volid) ? [] : [volid],
  )
}

/** Adds the helpers that tests and the demo use. */
export function clusterState(data: ClusterData, hooks: Hooks): ClusterState {
  const state: ClusterState = {
    ...data,
    moveVm(vmid, node) {
      moveVm(state, vmid, node, hooks.now())
      hooks.changed()
    },
    setNodeOnline(name, online) {
      const node = state.nodes.get(name)
      if (!node) throw new Error(`The simulated cluster has no node ${name}`)
      node.online = online
      node.offlineSince = online ? null : hooks.now()
      hooks.changed()
    },
    addUser(user) {
      const full = {
        password: randomBytes(9).toString('base64url'),
        enable: true,
        expire: 0,
        ...user,
      }
      state.users.set(full.userid, full)
      hooks.changed()
      return full
    },
    addToken(token) {
      const full = { secret: randomUUID(), privsep: true, expire: 0, ...token }
      state.tokens.set(`${full.userid}!${full.tokenid}`, full)
      hooks.changed()
      return full
    },
    setAcl(entry) {
      state.acls.push({ propagate: true, ...entry })
      hooks.changed()
    },
    addRole(roleid, privileges) {
      state.roles.set(roleid, privileges)
      hooks.changed()
    },
    crashVm(vmid) {
      stopVm(knownVm(state, vmid), hooks.now())
      hooks.changed()
    },
    orphans: () => orphans(state),
  }
  return state
}

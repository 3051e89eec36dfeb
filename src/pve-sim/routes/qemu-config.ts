import { requireDriveSyntax, requireDrives } from '../access/drive-access.ts'
import { require, requireAny } from '../access/permissions.ts'
import { flag, optInt, optText, type Params, paramFor, text } from '../formats/params.ts'
import { type Call, route } from '../http/route.ts'
import { changeConfig } from '../jobs/config.ts'
import type { Vm } from '../state/types.ts'
import type { Changes } from '../vm/apply-changes.ts'
import { cloudinitText } from '../vm/cloudinit.ts'
import { CONFIG, isNetKey, privilegesFor } from '../vm/config-schema.ts'
import {
  memoryMiB,
  pendingApplied,
  renderConfig,
  renderPending,
  renderSnapshot,
  requireDigest,
  requireUnlocked,
} from '../vm/vm-config.ts'
import { badParameters, die } from '../wire/errors.ts'
import { requireBridges } from './qemu-clone.ts'
import { onVm, rootOnly, startTask, VM_PARAMS, vmOf } from './shared.ts'

const CONTROL = new Set([
  'node',
  'vmid',
  'digest',
  'delete',
  'revert',
  'force',
  'skiplock',
  'background_delay',
  'import-working-storage',
])

const names = (list: string | undefined) => (list ?? '').split(/[,;\s\0]+/).filter(Boolean)

function changesOf(call: Call): Changes {
  const entries = [...call.all].filter(([key]) => !CONTROL.has(key))
  // The old name of the CD drive.
  const renamed = entries.map(([key, value]) => [key === 'cdrom' ? 'ide2' : key, value])
  return {
    set: Object.fromEntries(renamed),
    delete: names(call.optional('delete')),
    revert: names(call.optional('revert')),
    force: call.flag('force') ?? false,
  }
}

function requireKeys(call: Call, vm: Vm, changes: Changes): void {
  const { state } = call.sim
  const path = `/vms/${vm.vmid}`
  const touched = [
    ...Object.entries(changes.set),
    ...[...changes.delete, ...changes.revert].map((key) => [key, vm.config[key] ?? ''] as const),
  ]
  for (const [key, value] of touched) {
    if (call.who.authid === 'root@pam') break
    const wanted = privilegesFor(key, value)
    if (wanted === undefined) throw die(`only root can set '${key}' config`)
    if (key === 'startup') require(state, call.who, '/', ['Sys.Modify'])
    requireAny(state, call.who, path, wanted)
  }
  const cards = Object.entries(changes.set).filter(([key]) => isNetKey(key))
  requireBridges(call, Object.fromEntries(cards))
  requireDrives({ data: state, who: call.who, vm }, changes.set)
}

const SSH_KEY =
  /^(ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d+|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com) ([A-Za-z0-9+/]+={0,3})( .*)?$/

/** The fields of a public key, each prefixed with its length; empty where they do not add up. */
function fieldsOf(blob: Buffer): string[] {
  const fields: string[] = []
  let at = 0
  while (at + 4 <= blob.length) {
    const end = at + 4 + blob.readUInt32BE(at)
    if (end > blob.length) return []
    fields.push(blob.toString('latin1', at + 4, end))
    at = end
  }
  return at === blob.length ? fields : []
}

/** What ssh-keygen checks: a key repeats its own type, and is complete. */
function isSshKey(line: string): boolean {
  if (line.startsWith('#')) return true
  const [, kind = '', encoded = ''] = SSH_KEY.exec(line) ?? []
  const [inside, ...rest] = fieldsOf(Buffer.from(encoded, 'base64'))
  return inside === kind && rest.length > 0
}

function requireValidValues(vm: Vm, changes: Changes): void {
  const next = { ...pendingApplied(vm), ...changes.set }
  const balloon = changes.set.balloon
  if (balloon && Number(balloon) > memoryMiB(next)) {
    throw die('balloon value too large (must be smaller than assigned memory)')
  }
}

const CONFIG_ONLY = /^(digest|parent|snaptime|vmstate|runningmachine|runningcpu)$/

/** Refused before authorisation: names that do not exist, one key in two roles. */
function requireConsistent(call: Call, changes: Changes): void {
  const { version } = call.sim.state
  for (const list of ['revert', 'delete'] as const) {
    for (const key of changes[list]) {
      if (Object.hasOwn(changes.set, key)) {
        const words = `you can't use '-${key}' and -${list} ${key}' at the same time`
        throw badParameters({ delete: words })
      }
      if (!paramFor(CONFIG, key, version) && !CONFIG_ONLY.test(key)) {
        throw badParameters({ [list]: `unknown option '${key}'` })
      }
    }
  }
  const keys = decodeURIComponent(changes.set.sshkeys ?? '').split('\n')
  if (keys.some((key) => key.trim() && !isSshKey(key.trim()))) {
    throw die('SSH public key validation error')
  }
  requireDriveSyntax(changes.set)
  const { hookscript } = changes.set
  if (hookscript) throw badParameters({ hookscript: `script '${hookscript}' does not exist\n` })
}

/** The checks that PUT and POST share; returns the changes to apply. */
function checkedChanges(call: Call, vm: Vm): Changes {
  rootOnly(call, 'skiplock')
  const changes = changesOf(call)
  if (Object.keys(changes.set).length + changes.delete.length + changes.revert.length === 0) {
    throw die('no options specified')
  }
  requireConsistent(call, changes)
  requireKeys(call, vm, changes)
  requireDigest(vm, call.optional('digest'))
  if (call.flag('skiplock') !== true) requireUnlocked(vm)
  requireValidValues(vm, changes)
  return changes
}

/** What the worker checks again once it has the VM's lock. */
const guardsOf = (call: Call) => ({
  ...(call.all.has('digest') ? { digest: call.text('digest') } : {}),
  ...(call.flag('skiplock') ? { skiplock: true } : {}),
})

const WRITE_PARAMS: Params = {
  ...CONFIG,
  ...VM_PARAMS,
  delete: optText({ format: 'pve-configid-list' }),
  digest: optText({ maxLength: 40 }),
  force: flag({ requires: 'delete' }),
  revert: optText({ format: 'pve-configid-list' }),
  skiplock: flag(),
}

const MAY_WRITE = {
  perm: '/vms/{vmid}',
  privileges: ['Disk', 'CDROM', 'CPU', 'Memory', 'Network', 'HWType', 'Options', 'Cloudinit'].map(
    (part) => `VM.Config.${part}`,
  ),
  any: true,
}

export const qemuConfigRoutes = [
  route('GET /nodes/{node}/qemu/{vmid}/config', {
    permissions: onVm('VM.Audit'),
    proxied: true,
    params: {
      ...VM_PARAMS,
      current: flag(),
      snapshot: optText({ maxLength: 40, format: 'pve-configid' }),
    },
    handle: (call) => {
      const vm = vmOf(call)
      const { version } = call.sim.state
      if (call.all.has('snapshot')) {
        if (call.flag('current')) {
          const words = "cannot use 'snapshot' parameter with 'current'"
          throw badParameters({ snapshot: words, current: words })
        }
        return renderSnapshot(vm, call.text('snapshot'), version)
      }
      return renderConfig(vm, version, call.flag('current') ?? false)
    },
  }),
  route('GET /nodes/{node}/qemu/{vmid}/pending', {
    permissions: onVm('VM.Audit'),
    proxied: true,
    params: VM_PARAMS,
    handle: (call) => renderPending(vmOf(call), call.sim.state.version),
  }),
  route('GET /nodes/{node}/qemu/{vmid}/cloudinit/dump', {
    permissions: onVm('VM.Audit'),
    proxied: true,
    params: { ...VM_PARAMS, type: text({ enum: ['user', 'network', 'meta'] }) },
    handle: (call) => cloudinitText(vmOf(call), call.text('type') as 'meta' | 'network' | 'user'),
  }),
  route('PUT /nodes/{node}/qemu/{vmid}/config', {
    permissions: MAY_WRITE,
    proxied: true,
    params: WRITE_PARAMS,
    handle: async (call) => {
      const vm = vmOf(call)
      const changes = checkedChanges(call, vm)
      const { authid } = call.who
      // No task: the caller waits, and copies are made at once.
      const run = { log: () => {}, wait: () => Promise.resolve(), authid, args: {} }
      await changeConfig(call.sim, run, vm, changes)
      return null
    },
  }),
  route('POST /nodes/{node}/qemu/{vmid}/config', {
    permissions: MAY_WRITE,
    proxied: true,
    params: {
      ...WRITE_PARAMS,
      background_delay: optInt({ minimum: 1, maximum: 30 }),
      'import-working-storage': optText({ format: 'pve-storage-id', since: '8.0' }),
    },
    handle: (call) => {
      const vm = vmOf(call)
      const changes = checkedChanges(call, vm)
      const upid = startTask(call, {
        type: 'qmconfig',
        id: vm.vmid,
        args: { vmid: vm.vmid, changes, ...guardsOf(call) },
      })
      // Changes here never take a second, so a caller that waits gets null.
      return call.all.has('background_delay') ? call.sim.tasks.ended(upid).then(() => null) : upid
    },
  }),
]

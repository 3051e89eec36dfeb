import { isAlias, storedCidr } from '../formats/addresses.ts'
import { flag, optional, optText, type Param, type Params, text } from '../formats/params.ts'
import { type Call, route } from '../http/route.ts'
import { onVm, VM_PARAMS } from '../routes/shared.ts'
import type { IpsetEntry, VmFirewall } from '../state/types.ts'
import {
  digestOf,
  readFirewall,
  requireSameFirewall,
  withDigest,
  writeFirewall,
} from '../vm/firewall-file.ts'
import { badParameters, die } from '../wire/errors.ts'
import { DIGEST } from './option-routes.ts'

const NAME: Param = text({ pattern: /^[A-Za-z][A-Za-z0-9\-_]+$/, minLength: 2, maxLength: 64 })
const CIDR: Param = text({ format: 'IPorCIDRorAlias' })
const SET: Params = { ...VM_PARAMS, name: NAME }
const MEMBER: Params = { ...SET, cidr: CIDR }

const fileOf = (call: Call) => readFirewall(call.sim.state, call.number('vmid'))

function entriesOf(call: Call, file: VmFirewall): IpsetEntry[] {
  const name = call.text('name')
  const set = file.ipsets[name]
  if (!set) throw die(`no such IPSet '${name}'`)
  return set.entries
}

function saveEntries(call: Call, file: VmFirewall, entries: IpsetEntry[]): null {
  const name = call.text('name')
  const ipsets = { ...file.ipsets, [name]: { ...file.ipsets[name], entries } }
  writeFirewall(call.sim.state, call.number('vmid'), { ...file, ipsets })
  return null
}

const listed = (file: VmFirewall) =>
  Object.entries(file.ipsets).map(([name, { comment }]) => ({
    name,
    ...(comment ? { comment } : {}),
  }))

function create(call: Call): null {
  const file = fileOf(call)
  const name = call.text('name')
  const rename = call.optional('rename')
  const comment = call.optional('comment')
  const { [rename ?? name]: existing, ...others } = file.ipsets
  if (rename === undefined) {
    if (existing) throw badParameters({ name: `IPSet '${name}' already exists` })
  } else {
    requireSameFirewall(listed(file), call.optional('digest'))
    if (!existing) throw badParameters({ name: `IPSet '${rename}' does not exist` })
    if (others[name]) throw badParameters({ name: `IPSet '${name}' does already exist` })
  }
  // Names are read back in small letters: one that differs in its case alone is the same set.
  const stored = name.toLowerCase()
  const set = {
    entries: [],
    ...others[stored],
    ...existing,
    ...(comment === undefined ? {} : { comment }),
  }
  const ipsets = { ...others, [stored]: set }
  writeFirewall(call.sim.state, call.number('vmid'), { ...file, ipsets })
  return null
}

function remove(call: Call): null {
  const file = fileOf(call)
  const name = call.text('name')
  if (entriesOf(call, file).length > 0 && call.flag('force') !== true) {
    throw die(`IPSet '${name}' is not empty`)
  }
  const { [name]: _, ...ipsets } = file.ipsets
  writeFirewall(call.sim.state, call.number('vmid'), { ...file, ipsets })
  return null
}

function add(call: Call): null {
  const file = fileOf(call)
  const entries = entriesOf(call, file)
  const given = call.text('cidr')
  if (isAlias(given)) throw die(`no such alias '${given.replace(/^(dc|guest)\//, '')}'`)
  const cidr = storedCidr(given)
  if (entries.some((entry) => entry.cidr === cidr)) {
    throw badParameters({ cidr: `address '${cidr}' already exists` })
  }
  if (/\/0+$/.test(cidr)) {
    throw badParameters({ cidr: 'a zero prefix is not allowed in ipset entries' })
  }
  const comment = call.optional('comment')
  const entry: IpsetEntry = {
    cidr,
    ...(call.flag('nomatch') ? { nomatch: 1 } : {}),
    ...(comment ? { comment } : {}),
  }
  return saveEntries(call, file, [entry, ...entries])
}

/** Compares the text as it was sent: another way to write a stored address removes nothing. */
function removeMember(call: Call): null {
  const file = fileOf(call)
  const entries = entriesOf(call, file)
  requireSameFirewall(entries, call.optional('digest'))
  return saveEntries(
    call,
    file,
    entries.filter(({ cidr }) => cidr !== call.text('cidr')),
  )
}

const SETS = '/nodes/{node}/qemu/{vmid}/firewall/ipset'

export const firewallIpsetRoutes = [
  route(`GET ${SETS}`, {
    permissions: onVm('VM.Audit'),
    params: VM_PARAMS,
    handle: (call) => withDigest(listed(fileOf(call))),
  }),
  route(`POST ${SETS}`, {
    permissions: onVm('VM.Config.Network'),
    params: { ...SET, comment: optText(), digest: DIGEST, rename: optional(NAME) },
    handle: create,
  }),
  route(`GET ${SETS}/{name}`, {
    permissions: onVm('VM.Audit'),
    params: SET,
    handle: (call) => withDigest(entriesOf(call, fileOf(call))),
  }),
  route(`POST ${SETS}/{name}`, {
    permissions: onVm('VM.Config.Network'),
    params: { ...MEMBER, comment: optText(), nomatch: flag() },
    handle: add,
  }),
  route(`DELETE ${SETS}/{name}`, {
    permissions: onVm('VM.Config.Network'),
    params: { ...SET, force: flag() },
    handle: remove,
  }),
  route(`GET ${SETS}/{name}/{cidr}`, {
    permissions: onVm('VM.Audit'),
    params: MEMBER,
    handle: (call) => {
      const entries = entriesOf(call, fileOf(call))
      const found = entries.find(({ cidr }) => cidr === call.text('cidr'))
      if (!found) throw badParameters({ cidr: 'no such IP/Network' })
      return { ...found, digest: digestOf(entries) }
    },
  }),
  route(`DELETE ${SETS}/{name}/{cidr}`, {
    permissions: onVm('VM.Config.Network'),
    params: { ...MEMBER, digest: DIGEST },
    handle: removeMember,
  }),
]

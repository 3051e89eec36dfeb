import { flag, optInt, optional, optText, type Param, type Params } from '../formats/params.ts'
import { type Call, route } from '../http/route.ts'
import { onVm, VM_PARAMS } from '../routes/shared.ts'
import type { FirewallOption } from '../state/types.ts'
import { digestOf, readFirewall, requireSameFirewall, writeFirewall } from '../vm/firewall-file.ts'
import { badParameters } from '../wire/errors.ts'

const LOG_LEVELS = 'emerg alert crit err warning notice info debug nolog'.split(' ')
export const LOG_LEVEL: Param = optText({ enum: LOG_LEVELS })
export const DIGEST: Param = optText({
  maxLength: 64,
  older: { before: '8.0', param: optText({ maxLength: 40 }) },
})

const POLICY: Param = optText({ enum: ['ACCEPT', 'REJECT', 'DROP'] })

const VM_OPTIONS: Params = {
  dhcp: flag(),
  enable: flag(),
  ipfilter: flag(),
  log_level_in: LOG_LEVEL,
  log_level_out: LOG_LEVEL,
  macfilter: flag(),
  ndp: flag(),
  policy_in: POLICY,
  policy_out: POLICY,
  radv: flag(),
}

const CLUSTER_OPTIONS: Params = {
  ebtables: flag(),
  enable: optInt({ minimum: 0 }),
  log_ratelimit: optText(),
  policy_forward: optional({ type: 'string', enum: ['ACCEPT', 'DROP'], since: '8.3' }),
  policy_in: POLICY,
  policy_out: POLICY,
}

const CHANGE: Params = { delete: optText({ format: 'pve-configid-list' }), digest: DIGEST }

const isNumeric = ({ type }: Param) => type !== 'string'

/** The options after this call. */
function changed(call: Call, known: Params, before: Record<string, FirewallOption>) {
  requireSameFirewall(before, call.optional('digest'))
  const after = { ...before }
  for (const name of (call.optional('delete') ?? '').split(/[,;\s]+/).filter(Boolean)) {
    if (!Object.hasOwn(known, name)) throw badParameters({ delete: `no such option '${name}'` })
    delete after[name]
  }
  for (const [name, param] of Object.entries(known)) {
    const value = call.optional(name)
    if (value !== undefined) after[name] = isNumeric(param) ? Number(value) : value
  }
  return after
}

const shown = (options: Record<string, FirewallOption>) => ({
  ...options,
  digest: digestOf(options),
})

export const firewallOptionRoutes = [
  route('GET /cluster/firewall/options', {
    permissions: { perm: '/', privileges: ['Sys.Audit'] },
    handle: ({ sim }) => shown(sim.state.firewallOptions ?? {}),
  }),
  route('PUT /cluster/firewall/options', {
    permissions: { perm: '/', privileges: ['Sys.Modify'] },
    params: { ...CLUSTER_OPTIONS, ...CHANGE },
    handle: (call) => {
      const { state } = call.sim
      const options = changed(call, CLUSTER_OPTIONS, state.firewallOptions ?? {})
      // Any other number is taken for the moment at which it was switched on.
      if (Number(options.enable ?? 0) > 1) options.enable = Math.floor(call.sim.now() / 1000)
      state.firewallOptions = options
      return null
    },
  }),
  route('GET /nodes/{node}/qemu/{vmid}/firewall/options', {
    permissions: onVm('VM.Audit'),
    proxied: true,
    params: VM_PARAMS,
    handle: (call) => shown(readFirewall(call.sim.state, call.number('vmid')).options),
  }),
  route('PUT /nodes/{node}/qemu/{vmid}/firewall/options', {
    permissions: onVm('VM.Config.Network'),
    proxied: true,
    params: { ...VM_PARAMS, ...VM_OPTIONS, ...CHANGE },
    handle: (call) => {
      const vmid = call.number('vmid')
      const file = readFirewall(call.sim.state, vmid)
      const options = changed(call, VM_OPTIONS, file.options)
      writeFirewall(call.sim.state, vmid, { ...file, options })
      return null
    },
  }),
]

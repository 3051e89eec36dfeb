import { optInt, optional, optText, type Param, type Params, text } from '../formats/params.ts'
import { type Call, route } from '../http/route.ts'
import { onVm, VM_PARAMS } from '../routes/shared.ts'
import type { FirewallRule } from '../state/types.ts'
import {
  readFirewall,
  requireSameFirewall,
  withDigest,
  writeFirewall,
} from '../vm/firewall-file.ts'
import { badParameters, die } from '../wire/errors.ts'
import { checkedRule } from './check-rule.ts'
import { DIGEST, LOG_LEVEL } from './option-routes.ts'

const ACTION: Param = text({ pattern: /^[A-Za-z][A-Za-z0-9\-_]+$/, minLength: 2, maxLength: 20 })
const TYPE: Param = text({
  enum: ['in', 'out', 'forward', 'group'],
  older: { before: '8.3', param: text({ enum: ['in', 'out', 'group'] }) },
})
const ADDRESSES: Param = optText({ maxLength: 512 })

/** Everything a rule may have besides its type, its action and whether it is on. */
const OPTIONAL: Params = {
  comment: optText(),
  dest: ADDRESSES,
  dport: optText(),
  'icmp-type': optText(),
  iface: optText({ minLength: 2, maxLength: 20 }),
  log: LOG_LEVEL,
  macro: optText({ maxLength: 128 }),
  proto: optText(),
  source: ADDRESSES,
  sport: optText(),
}

const RULE: Params = { ...OPTIONAL, enable: optInt({ minimum: 0 }), digest: DIGEST }
const POS: Param = optInt({ minimum: 0 })

const fileOf = (call: Call) => readFirewall(call.sim.state, call.number('vmid'))

/** The rule with what the call gives; an empty value removes a key. */
function withGiven(call: Call, before: FirewallRule): FirewallRule {
  const after: Record<string, unknown> = { ...before }
  for (const name of ['type', 'action', ...Object.keys(OPTIONAL)]) {
    const value = call.optional(name)
    if (value === '' || value === '-') delete after[name]
    else if (value !== undefined) after[name] = value
  }
  for (const name of (call.optional('delete') ?? '').split(/[,;\s]+/).filter(Boolean)) {
    if (name !== 'enable' && !Object.hasOwn(OPTIONAL, name)) {
      throw badParameters({ delete: `no such property ('${name}')` })
    }
    delete after[name]
  }
  const enable = call.optionalNumber('enable')
  return { ...after, ...(enable === undefined ? {} : { enable }) } as FirewallRule
}

/**
 * The file has a line for each rule, and the comment at its end: what follows a line break in a
 * comment is read as another rule.
 */
function readAgain(rules: readonly FirewallRule[]): FirewallRule[] {
  return rules.flatMap(({ comment, ...rule }) => {
    const [first = '', ...more] = (comment ?? '').split(/[\r\n]+/)
    const text = first.trim()
    return [text ? { ...rule, comment: text } : rule, ...more.flatMap(ruleOfLine)]
  })
}

/** The little of the file's language that a comment was tried with; other lines are passed over. */
function ruleOfLine(line: string): FirewallRule[] {
  const [, off, type = '', action = '', options = ''] =
    /^(\|)?(IN|OUT) (ACCEPT|DROP|REJECT)((?: -\w+ \S+)*)\s*$/.exec(line) ?? []
  if (!action) return []
  const words = options.trim().split(/\s+/)
  const pairs = words.flatMap((word, at) => (at % 2 ? [] : [[word.slice(1), words[at + 1] ?? '']]))
  const names: Record<string, string> = { p: 'proto' }
  const given = pairs
    .filter(([name]) => name)
    .map(([name = '', value]) => [names[name] ?? name, value])
  return [{ type: type.toLowerCase(), action, enable: off ? 0 : 1, ...Object.fromEntries(given) }]
}

function save(call: Call, changed: FirewallRule[]): null {
  const rules = readAgain(changed)
  writeFirewall(call.sim.state, call.number('vmid'), { ...fileOf(call), rules })
  return null
}

/** A new rule is the first one, and off unless it is said to be on. */
function create(call: Call): null {
  const file = fileOf(call)
  const rule = withGiven(call, { type: '', action: '', enable: 0 })
  return save(call, [checkedRule(rule, file), ...file.rules])
}

function ruleAt(call: Call, rules: FirewallRule[]): FirewallRule {
  const rule = rules[call.number('pos')]
  if (!rule) throw die(`no rule at position ${call.text('pos')}`)
  return rule
}

/** With `moveto`, everything else in the call is ignored. */
function change(call: Call): null {
  const file = fileOf(call)
  requireSameFirewall(file.rules, call.optional('digest'))
  const rule = ruleAt(call, file.rules)
  const pos = call.number('pos')
  const to = call.optionalNumber('moveto')
  if (to === undefined || to === pos) {
    return save(call, file.rules.with(pos, checkedRule(withGiven(call, rule), file)))
  }
  const moved = file.rules.flatMap((other, at) => {
    const kept = at === pos ? [] : [other]
    return at === to ? [rule, ...kept] : kept
  })
  return save(call, to >= file.rules.length ? [...moved, rule] : moved)
}

function remove(call: Call): null {
  const { rules } = fileOf(call)
  requireSameFirewall(rules, call.optional('digest'))
  ruleAt(call, rules)
  return save(call, rules.toSpliced(call.number('pos'), 1))
}

const shown = (rules: FirewallRule[]) => withDigest(rules).map((rule, pos) => ({ ...rule, pos }))

const RULES = '/nodes/{node}/qemu/{vmid}/firewall/rules'

export const firewallRuleRoutes = [
  route(`GET ${RULES}`, {
    permissions: onVm('VM.Audit'),
    params: VM_PARAMS,
    handle: (call) => shown(fileOf(call).rules),
  }),
  route(`POST ${RULES}`, {
    permissions: onVm('VM.Config.Network'),
    params: { ...VM_PARAMS, ...RULE, action: ACTION, type: TYPE, pos: POS },
    handle: create,
  }),
  route(`GET ${RULES}/{pos}`, {
    permissions: onVm('VM.Audit'),
    params: { ...VM_PARAMS, pos: POS },
    handle: (call) => {
      const { rules } = fileOf(call)
      ruleAt(call, rules)
      // As it was asked for: a text.
      return { ...shown(rules)[call.number('pos')], pos: call.text('pos') }
    },
  }),
  route(`PUT ${RULES}/{pos}`, {
    permissions: onVm('VM.Config.Network'),
    params: {
      ...VM_PARAMS,
      ...RULE,
      action: optional(ACTION),
      type: optional(TYPE),
      pos: POS,
      moveto: POS,
      delete: optText({ format: 'pve-configid-list' }),
    },
    handle: change,
  }),
  route(`DELETE ${RULES}/{pos}`, {
    permissions: onVm('VM.Config.Network'),
    params: { ...VM_PARAMS, pos: POS, digest: DIGEST },
    handle: remove,
  }),
]

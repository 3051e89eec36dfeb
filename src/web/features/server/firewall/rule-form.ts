import { RuleBody } from '#shared/api/servers/firewall.ts'
import { type ClientRule, hasPorts } from '#shared/rules/network/firewall-rules.ts'
import { portsText } from './rule-words.ts'

/** As typed; an empty text is one that is not given. */
export type RuleFields = {
  direction: ClientRule['direction']
  action: ClientRule['action']
  protocol: NonNullable<ClientRule['protocol']> | ''
  ports: string
  place: string
  comment: string
}

export const EMPTY_RULE: RuleFields = {
  direction: 'in',
  action: 'ACCEPT',
  protocol: 'tcp',
  ports: '',
  place: '',
  comment: '',
}

export const fieldsOf = (rule: ClientRule): RuleFields => ({
  direction: rule.direction,
  action: rule.action,
  protocol: rule.protocol ?? '',
  ports: portsText(rule.ports ?? ''),
  place: rule.source ?? rule.destination ?? '',
  comment: rule.comment ?? '',
})

/** One field for the other end: it is the source of what comes in. */
const bodyOf = ({ direction, action, protocol, ports, place, comment }: RuleFields) => ({
  direction,
  action,
  protocol: protocol || undefined,
  ports: hasPorts(protocol || undefined) ? ports : '',
  [direction === 'in' ? 'source' : 'destination']: place,
  comment,
})

export const ruleOf = (fields: RuleFields): ClientRule => {
  const entries = Object.entries(RuleBody.parse(bodyOf(fields)))
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as ClientRule
}

const isPlace = (field: PropertyKey | undefined) => field === 'source' || field === 'destination'

export function checkRule(fields: RuleFields) {
  const result = RuleBody.safeParse(bodyOf(fields))
  if (result.success) return { success: true as const }
  const issues = result.error.issues.map(({ path, message }) => ({
    path: isPlace(path[0]) ? ['place'] : path,
    message,
  }))
  return { success: false as const, error: { issues } }
}

import type { ClientFirewall, ClientRule } from '#shared/rules/network/firewall-rules.ts'

/** A rule that is being edited; its key stays when it moves. */
export type DraftRule = ClientRule & { key: number }
export type Draft = { incoming: ClientFirewall['incoming']; rules: DraftRule[] }

let lastKey = 0
const keyed = (rule: ClientRule): DraftRule => {
  lastKey += 1
  return { ...rule, key: lastKey }
}

export const draftOf = ({ rules, incoming }: ClientFirewall): Draft => ({
  incoming,
  rules: rules.map(keyed),
})

export const firewallOf = ({ rules, incoming }: Draft): ClientFirewall => ({
  incoming,
  rules: rules.map(({ key: _, ...rule }) => rule),
})

export const isSame = (draft: Draft, firewall: ClientFirewall): boolean =>
  JSON.stringify(firewallOf(draft)) ===
  JSON.stringify({ incoming: firewall.incoming, rules: firewall.rules })

/**
 * Replaces the rule with this key. A rule without a key, or whose key is gone because another
 * page removed that rule, is added at the end.
 */
export function withRule(draft: Draft, rule: ClientRule, key?: number): Draft {
  const place = draft.rules.findIndex((old) => old.key === key)
  const old = draft.rules[place]
  if (!old) return { ...draft, rules: [...draft.rules, keyed(rule)] }
  return { ...draft, rules: draft.rules.with(place, { ...rule, key: old.key }) }
}

export const withoutRule = (draft: Draft, key: number): Draft => ({
  ...draft,
  rules: draft.rules.filter((rule) => rule.key !== key),
})

/** One place up (-1) or down (1); unchanged at the end. */
export function withMoved(draft: Draft, key: number, by: -1 | 1): Draft {
  const from = draft.rules.findIndex((rule) => rule.key === key)
  const [rule, other] = [draft.rules[from], draft.rules[from + by]]
  if (!rule || !other) return draft
  return { ...draft, rules: draft.rules.with(from, other).with(from + by, rule) }
}

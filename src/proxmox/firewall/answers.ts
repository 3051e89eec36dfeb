import { z } from 'zod'
import { flag, maybeNumber, maybeText, number, text } from '../wire/answers.ts'

const Digest = { digest: maybeText }

export const SetMember = z.object({ cidr: text, nomatch: flag, comment: maybeText, ...Digest })
export const NamedSet = z.object({ name: text })

export const Rule = z.object({
  pos: number,
  type: text,
  action: text,
  enable: maybeNumber,
  macro: maybeText,
  proto: maybeText,
  source: maybeText,
  dest: maybeText,
  sport: maybeText,
  dport: maybeText,
  'icmp-type': maybeText,
  iface: maybeText,
  comment: maybeText,
  ...Digest,
})
export type FirewallRule = z.output<typeof Rule>

/** Unset is not always off: an unset `dhcp` is on (facts-2 §7). */
export const Options = z.object({
  enable: maybeNumber,
  macfilter: maybeNumber,
  ipfilter: maybeNumber,
  dhcp: maybeNumber,
  ndp: maybeNumber,
  radv: maybeNumber,
  policy_in: maybeText,
  policy_out: maybeText,
  log_level_in: maybeText,
  log_level_out: maybeText,
  ...Digest,
})
export type FirewallOptions = z.output<typeof Options>

export const ClusterOptions = z.object({ enable: maybeNumber, ebtables: maybeNumber })

/** These calls answer with nothing. */
export const Nothing = z.unknown()

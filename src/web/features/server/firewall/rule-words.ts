import type { ClientRule } from '#shared/rules/network/firewall-rules.ts'

export const ACTION_WORDS: Record<ClientRule['action'], string> = {
  ACCEPT: 'Allow',
  DROP: 'Drop',
  REJECT: 'Reject',
}

const PROTOCOL_WORDS: Record<NonNullable<ClientRule['protocol']>, string> = {
  tcp: 'TCP',
  udp: 'UDP',
  icmp: 'ICMP (ping)',
  icmpv6: 'ICMPv6 (ping)',
  esp: 'ESP (IPsec)',
  gre: 'GRE',
}

export const protocolWords = (protocol: ClientRule['protocol'] | ''): string =>
  protocol ? PROTOCOL_WORDS[protocol] : 'Any protocol'

/** `80,8000:8100` → `80, 8000-8100`, as people write it. */
export const portsText = (ports: string): string => ports.replaceAll(':', '-').replaceAll(',', ', ')

/** "TCP 80, 443 from 203.0.113.0/24" */
export function ruleText({ direction, protocol, ports, source, destination }: ClientRule): string {
  const what =
    ports === undefined ? protocolWords(protocol) : `${protocolWords(protocol)} ${portsText(ports)}`
  return direction === 'in'
    ? `${what} from ${source ?? 'anywhere'}`
    : `${what} to ${destination ?? 'anywhere'}`
}

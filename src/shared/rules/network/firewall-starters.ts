import type { ClientFirewall, ClientRule } from './firewall-rules.ts'

type Starter = { name: string; description: string; firewall: ClientFirewall }

const SSH: ClientRule = {
  direction: 'in',
  action: 'ACCEPT',
  protocol: 'tcp',
  ports: '22',
  comment: 'SSH',
}
const WEB: ClientRule = {
  direction: 'in',
  action: 'ACCEPT',
  protocol: 'tcp',
  ports: '80,443',
  comment: 'Web',
}
const PING: ClientRule[] = [
  { direction: 'in', action: 'ACCEPT', protocol: 'icmp', comment: 'Ping' },
  { direction: 'in', action: 'ACCEPT', protocol: 'icmpv6', comment: 'Ping by IPv6' },
]
const allow = (...rules: ClientRule[]): ClientFirewall => ({ incoming: 'DROP', rules })

/** Firewalls to begin with. */
export const FIREWALL_STARTERS: readonly Starter[] = [
  { name: 'Web server', description: 'SSH, web and ping', firewall: allow(SSH, WEB, ...PING) },
  { name: 'Only SSH', description: 'SSH and ping', firewall: allow(SSH, ...PING) },
  {
    name: 'Mail server',
    description: 'SSH, web, mail and ping',
    firewall: allow(
      SSH,
      WEB,
      {
        direction: 'in',
        action: 'ACCEPT',
        protocol: 'tcp',
        ports: '25,465,587,143,993',
        comment: 'Mail',
      },
      ...PING,
    ),
  },
  {
    name: 'WireGuard',
    description: 'SSH, WireGuard and ping',
    firewall: allow(
      SSH,
      { direction: 'in', action: 'ACCEPT', protocol: 'udp', ports: '51820', comment: 'WireGuard' },
      ...PING,
    ),
  },
  { name: 'Ping only', description: 'Nothing but ping', firewall: allow(...PING) },
  {
    name: 'Everything open',
    description: 'As a new server',
    firewall: { incoming: 'ACCEPT', rules: [] },
  },
]

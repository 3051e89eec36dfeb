/** What a guest prints: enough to recognise which machine it is. */

export type Facts = {
  os: string
  windows: boolean
  hostname: string
  vmid: number
  addresses: { card: string; mac: string; cidr: string }[]
  cores: number
  memoryMiB: number
  diskGiB: number
  now: number
}

const ok = (text: string) => `[\x1b[32m  OK  \x1b[0m] ${text}`

const firmware = (facts: Facts) => [
  'SeaBIOS (version rel-1.16.3-0-ga6ed6b701f0a-prebuilt.qemu.org)',
  `Machine UUID of VM ${facts.vmid}`,
  '',
  'Booting from Hard Disk...',
]

export function bootLines(facts: Facts): string[] {
  if (facts.windows) {
    return [
      ...firmware(facts),
      'Windows Boot Manager',
      `Loading ${facts.os}...`,
      'Applying computer settings',
      'Starting Remote Desktop Services',
    ]
  }
  const network = facts.addresses.map(
    ({ card, cidr }) => `cloud-init: ci-info: | ${card} | True | ${cidr} |`,
  )
  return [
    ...firmware(facts),
    `Welcome to \x1b[96m${facts.os}\x1b[0m!`,
    '',
    ok('Created slice system-getty.slice.'),
    ok('Mounted /boot/efi.'),
    ok('Reached target local-fs.target - Local File Systems.'),
    ok('Finished cloud-init-local.service - Initial cloud-init job.'),
    ...network,
    ok('Reached target network-online.target - Network is Online.'),
    ok('Started qemu-guest-agent.service - QEMU Guest Agent.'),
    ok('Started ssh.service - OpenBSD Secure Shell server.'),
    ok('Reached target multi-user.target - Multi-User System.'),
  ]
}

const firstAddress = (facts: Facts) => facts.addresses[0]?.cidr.split('/')[0] ?? 'no address'

export function prompt(facts: Facts & { user?: string }) {
  const { os, hostname, windows, user = '' } = facts
  if (windows) {
    return {
      banner: `${os}\nComputer name: ${hostname}\nAddress: ${firstAddress(facts)}`,
      loginPrompt: 'User name: ',
      welcome: '',
      shellPrompt: `C:\\Users\\${user}>`,
    }
  }
  return {
    banner: `${os} ${hostname} tty1\n\neth0: ${firstAddress(facts)}`,
    loginPrompt: `${hostname} login: `,
    welcome: `Welcome to ${os}. Try 'help'.`,
    shellPrompt: `${user}@${hostname}:~${user === 'root' ? '#' : '$'} `,
  }
}

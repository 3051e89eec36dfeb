import type { Facts } from './guest-text.ts'

type ShellFacts = Facts & { user: string; uptime: number }

export type Answer =
  | { kind: 'text'; text: string }
  | { kind: 'clear' | 'logout' | 'reboot' | 'poweroff' }

function duration(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  const days = Math.floor(minutes / 1440)
  const clock = `${Math.floor(minutes / 60) % 24}:${String(minutes % 60).padStart(2, '0')}`
  return days > 0 ? `${days} day${days > 1 ? 's' : ''}, ${clock}` : clock
}

function addresses(facts: ShellFacts): string {
  const loopback = '1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536\n    inet 127.0.0.1/8 scope host lo\n'
  const cards = facts.addresses.map(
    ({ card, mac, cidr }, i) =>
      `${i + 2}: ${card}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500\n    link/ether ${mac.toLowerCase()}\n    inet ${cidr} scope global ${card}\n`,
  )
  return loopback + cards.join('')
}

function memory({ memoryMiB }: ShellFacts): string {
  const used = Math.floor(memoryMiB * 0.18)
  const cell = (value: number | string) => String(value).padStart(10)
  return `${' '.repeat(6)}${['total', 'used', 'free'].map(cell).join('')}\nMem:  ${[memoryMiB, used, memoryMiB - used].map(cell).join('')}\nSwap: ${[0, 0, 0].map(cell).join('')}\n`
}

const clock = (facts: ShellFacts) => new Date(facts.now).toUTCString()

const COMMANDS: Record<string, (facts: ShellFacts, words: string[]) => string> = {
  help: () =>
    'clear date df echo exit free help hostname id ip lsblk nproc poweroff reboot uname uptime whoami\n',
  hostname: (facts) => `${facts.hostname}\n`,
  whoami: (facts) => `${facts.user}\n`,
  id: ({ user }) =>
    user === 'root'
      ? 'uid=0(root) gid=0(root) groups=0(root)\n'
      : `uid=1000(${user}) gid=1000(${user}) groups=1000(${user}),27(sudo)\n`,
  ip: addresses,
  ipconfig: addresses,
  uptime: (facts) =>
    ` ${clock(facts).slice(17, 25)} up ${duration(facts.uptime)},  1 user,  load average: 0.08, 0.03, 0.01\n`,
  free: memory,
  nproc: (facts) => `${facts.cores}\n`,
  date: (facts) => `${clock(facts)}\n`,
  df: (facts) =>
    `Filesystem  Size  Used Avail Use% Mounted on\n/dev/sda1   ${facts.diskGiB}G  2.1G  ${Math.max(0, facts.diskGiB - 3)}G  12% /\n`,
  lsblk: (facts) =>
    `NAME   SIZE TYPE MOUNTPOINTS\nsda    ${facts.diskGiB}G disk\n\`-sda1 ${facts.diskGiB}G part /\n`,
  uname: (facts) => `Linux ${facts.hostname} 6.1.0-37-cloud-amd64 #1 SMP x86_64 GNU/Linux\n`,
  echo: (_, words) => `${words.join(' ')}\n`,
  ls: () => '',
}

const SPECIAL: Record<string, 'clear' | 'logout' | 'reboot' | 'poweroff'> = {
  clear: 'clear',
  cls: 'clear',
  exit: 'logout',
  logout: 'logout',
  reboot: 'reboot',
  poweroff: 'poweroff',
  shutdown: 'poweroff',
}

/** Answers a handful of commands; any other is "not found", as in any shell. */
export function answerTo(line: string, facts: ShellFacts): Answer {
  const [name = '', ...words] = line
    .trim()
    .replace(/^sudo\s+/, '')
    .split(/\s+/)
  if (name === '') return { kind: 'text', text: '' }
  const special = Object.hasOwn(SPECIAL, name) ? SPECIAL[name] : undefined
  if (special) return { kind: special }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  return { kind: 'text', text: command ? command(facts, words) : `${name}: command not found\n` }
}

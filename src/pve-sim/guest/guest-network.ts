import { parseProperties } from '../formats/property-string.ts'
import { noise } from '../metrics/noise.ts'
import type { Vm } from '../state/types.ts'
import { isNetKey } from '../vm/config-schema.ts'

type GuestAddress = { address: string; family: 'ipv4' | 'ipv6'; prefix: number }
type GuestCard = { index: number; mac: string; addresses: GuestAddress[] }

function fromCidr(cidr: string, family: GuestAddress['family']): GuestAddress {
  const [address = '', prefix = ''] = cidr.split('/')
  return { address, family, prefix: Number(prefix) }
}

/** fe80:: from the MAC, as every Linux guest derives it. */
function linkLocal(mac: string): GuestAddress {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = mac
    .split(':')
    .map((part) => Number.parseInt(part, 16))
  const word = (high: number, low: number) => ((high << 8) | low).toString(16)
  const address = `fe80::${word(a ^ 2, b)}:${word(c, 0xff)}:${word(0xfe, d)}:${word(e, f)}`
  return { address, family: 'ipv6', prefix: 64 }
}

/** Network cards as the guest sees them: configured by cloud-init, or as a DHCP server would. */
export function guestAddresses(vm: Vm): GuestCard[] {
  return Object.entries(vm.config)
    .filter(([key]) => isNetKey(key))
    .map(([key, value]) => {
      const index = Number(key.slice(3))
      const mac = /([0-9a-f]{2}:){5}[0-9a-f]{2}/i.exec(value)?.[0] ?? '00:00:00:00:00:00'
      const settings = parseProperties(vm.config[`ipconfig${index}`] ?? 'ip=dhcp')
      const ip = settings.get('ip')
      const ip6 = settings.get('ip6')
      const lease = `10.${index}.${Math.floor(noise(vm.vmid, 21) * 250)}.${2 + Math.floor(noise(vm.vmid, 22) * 250)}/16`
      const v4 = ip ? [fromCidr(ip === 'dhcp' ? lease : ip, 'ipv4')] : []
      const v6 = ip6?.includes('/') ? [fromCidr(ip6, 'ipv6')] : []
      return { index, mac, addresses: [...v4, ...v6, linkLocal(mac)] }
    })
}

import { isIPv4 } from 'node:net'

/** The network of an address (/24 or /48): enough against abuse, too little to find a person. */
export function truncateAddress(address: string): string | null {
  const mapped = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIPv4(mapped)) return `${mapped.split('.').slice(0, 3).join('.')}.0/24`
  const [head = ''] = address.split('::')
  const groups = head.split(':').filter(Boolean).slice(0, 3)
  return groups.length === 0 ? null : `${groups.join(':')}::/48`
}

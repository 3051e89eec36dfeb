const SIX_PAIRS = /^([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$/
const MULTICAST_BIT = 0x01

export const isMac = (value: string): boolean => SIX_PAIRS.test(value)

/** Proxmox accepts unicast addresses only: the lowest bit of the first byte must be 0. */
export const isUnicastMac = (value: string): boolean =>
  isMac(value) && (Number.parseInt(value.slice(0, 2), 16) & MULTICAST_BIT) === 0

/** bc-24-11-aa-bb-cc → BC:24:11:AA:BB:CC */
export const normalizeMac = (value: string): string => value.replaceAll('-', ':').toUpperCase()

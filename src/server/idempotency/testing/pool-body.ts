let last = 0

/** A pool beside all others: networks of one cluster may not overlap. */
export const poolBody = (clusterId: number) => {
  last += 1
  return {
    clusterId,
    name: `Pool ${last}`,
    family: 4 as const,
    cidr: `10.7.${last}.0/24`,
    gateway: `10.7.${last}.1`,
    ranges: [{ first: `10.7.${last}.10`, last: `10.7.${last}.20` }],
    reserved: [],
    bridge: 'vmbr0',
    nameservers: ['9.9.9.9'],
  }
}

import type { instances, tokens } from '../db/schema/stock.ts'

type Token = Pick<typeof tokens.$inferSelect, 'clientIpAddress' | 'ipAddress' | 'ipv6Address'>
type Vm = Pick<typeof instances.$inferSelect, 'ipAddress' | 'ipv6Address'>

/** The addresses of a server, each once; the one to connect to comes first. */
export function shownAddresses(token: Token | null, vm: Vm): string[] {
  const all = [
    token?.clientIpAddress,
    vm.ipAddress ?? token?.ipAddress,
    vm.ipv6Address ?? token?.ipv6Address,
  ]
  return [...new Set(all.filter((one) => typeof one === 'string'))]
}

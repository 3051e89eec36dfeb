import { isWindows } from '#shared/rules/instance/system-of-template.ts'
import { sshCommand } from '#shared/rules/network/ssh-port.ts'

type Reachable = {
  domain: string | null
  clientIpAddress: string | null
  ipAddress: string | null
}

/** Where its owner connects: the domain, else the client's address, else the VM's (T10). */
export const addressOf = ({ domain, clientIpAddress, ipAddress }: Reachable): string | undefined =>
  domain || clientIpAddress || ipAddress || undefined

export type Connection = { how: string; text: string }

/** What is typed to sign in; undefined as long as there is no address. */
export function connectionOf(
  server: Reachable & { osType?: string; username: string },
): Connection | undefined {
  const address = addressOf(server)
  if (address === undefined) return undefined
  if (isWindows(server.osType ?? '')) return { how: 'Remote Desktop', text: address }
  return { how: 'SSH', text: sshCommand(server.username, address) }
}

const USUAL_PORT = 22
/** The real guests of the demo: their machine may have an SSH server of its own at port 22. */
const DEMO_NETWORK = '127.77.0.'
const DEMO_PORT = 2222

/** A machine in software emulation, as a rule: what takes others a moment takes it seconds. */
export const isDemoGuest = (address: string): boolean => address.startsWith(DEMO_NETWORK)

/** Where a server with this address answers SSH. */
export const sshPortOf = (address: string): number =>
  isDemoGuest(address) ? DEMO_PORT : USUAL_PORT

/** The address as a line of `known_hosts` names it. */
export function knownHostOf(address: string): string {
  const port = sshPortOf(address)
  return port === USUAL_PORT ? address : `[${address}]:${port}`
}

/** What is typed to sign in. */
export function sshCommand(username: string, address: string): string {
  const port = sshPortOf(address)
  return `ssh ${port === USUAL_PORT ? '' : `-p ${port} `}${username}@${address}`
}

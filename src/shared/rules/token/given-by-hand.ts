/** What Hushbox does while it makes a server, and therefore not for a VM that an operator gives. */
export const MADE_WITH = ['hostname', 'sshKeys', 'userData'] as const
export type MadeWith = (typeof MADE_WITH)[number]

type Chosen = {
  hostname?: string | null | undefined
  sshKeys?: readonly unknown[] | undefined
  userData?: unknown
}

/** The choices of an order that a VM given by hand does not get by itself. Its label it gets. */
export const notAppliedByHand = ({ hostname, sshKeys = [], userData }: Chosen): MadeWith[] => {
  const isChosen = {
    hostname: (hostname ?? null) !== null,
    sshKeys: sshKeys.length > 0,
    userData: (userData ?? null) !== null,
  }
  return MADE_WITH.filter((wish) => isChosen[wish])
}

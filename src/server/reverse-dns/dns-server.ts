/** What an address is to be answered with; a null name is to be forgotten. */
type PtrRecord = {
  /** Where the record is: 5.113.0.203.in-addr.arpa. */
  name: string
  address: string
  hostname: string | null
}

/** A server that holds reverse names. Telling it the same twice changes nothing. */
export type DnsServer = {
  tell(record: PtrRecord): Promise<void>
  /** Says that it would take names in these zones, or throws. */
  check(zones: readonly string[]): Promise<string>
}

/**
 * Why a DNS server did not take a name.
 * - `away`: it takes none now: no connection, no time, or our key is wrong
 * - `rejected`: it understood us, and does not take this one
 */
export class DnsServerError extends Error {
  readonly fault: 'away' | 'rejected'

  constructor(fault: 'away' | 'rejected', message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'DnsServerError'
    this.fault = fault
  }
}

export const away = (message: string, cause?: unknown) => new DnsServerError('away', message, cause)
export const rejected = (message: string) => new DnsServerError('rejected', message)

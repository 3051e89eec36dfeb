export const HOSTNAME = 'A hostname has 1 to 63 letters, digits and hyphens, such as web-1.'

/** One label of RFC 1123, in lower case. A name of digits only would read as an address. */
export const isHostname = (name: string): boolean =>
  /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name) && !/^\d+$/.test(name)

export const HOSTNAME =
  'A hostname has 1 to 63 letters, digits and hyphens, such as web-1. It is no number, date, yes or no.'

/**
 * What is no text in YAML 1.1: Proxmox writes a hostname without quotes, and the guest would be
 * called False. A name of digits only would also read as an address.
 */
const NO_TEXT = /^([\d-]+|0[bx][\da-f]+|yes|no|on|off|true|false|null)$/

/** One label of RFC 1123, in lower case. */
export const isHostname = (name: string): boolean =>
  /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name) && !NO_TEXT.test(name)

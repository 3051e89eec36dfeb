export const HOSTNAME =
  'A hostname has 1 to 63 letters, digits and hyphens, such as web-1. A number, a date, or a word such as yes, no, on or off cannot be one.'

/**
 * What is no text in YAML 1.1: Proxmox writes a hostname without quotes, and the guest would be
 * called False. A name of digits only would also read as an address.
 */
const NO_TEXT = /^(\d+|0x[\da-f]+|0b[01]+|\d{4}-\d\d?-\d\d?|yes|no|on|off|true|false|null)$/

/** One label of RFC 1123, in lower case. */
export const isHostname = (name: string): boolean =>
  /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name) && !NO_TEXT.test(name)

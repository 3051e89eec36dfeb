export const DOMAIN_NAME =
  'Enter a whole name such as mail.example.org: letters, digits and hyphens, with dots between.'

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
/** Zones of a part of a /24 are often called 0/25 (RFC 2317); a host never is. */
const ZONE_LABEL = /^[a-z0-9_]([a-z0-9_/-]{0,61}[a-z0-9_])?$/
const LONGEST = 253

const spelled = (text: string): string => text.trim().toLowerCase().replace(/\.$/, '')

const hasLabels = (name: string, label: RegExp): boolean =>
  name.length <= LONGEST && name.split('.').every((one) => label.test(one))

/**
 * The whole name of a host as it is stored and compared, in lower case and without the final dot;
 * undefined if it is none. A last label of digits would read as an address.
 */
export function domainName(text: string): string | undefined {
  const name = spelled(text)
  const last = name.split('.').slice(1).at(-1)
  const isWhole = last !== undefined && !/^\d+$/.test(last)
  return isWhole && hasLabels(name, LABEL) ? name : undefined
}

/** The name of a zone in the same way of writing. */
export function zoneName(text: string): string | undefined {
  const name = spelled(text)
  return hasLabels(name, ZONE_LABEL) ? name : undefined
}

import type { VmConfig } from '#proxmox/calls/vm-answers.ts'

/** Settings whose value is or contains a secret. */
const SECRET = new Set(['cipassword', 'args'])

/** The configuration as `qm config` prints it, for operators to read. */
export const rawConfig = ({ values }: VmConfig): { key: string; value: string }[] =>
  Object.entries(values)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([key, value]) => ({ key, value: shown(key, value) }))
    .sort((a, b) => a.key.localeCompare(b.key, 'en', { numeric: true }))

function shown(key: string, value: string): string {
  if (SECRET.has(key)) return '(hidden)'
  return key === 'sshkeys' ? decoded(value) : value
}

/** Proxmox stores keys URL-encoded; what is not is shown as it is. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value).trim()
  } catch {
    return value
  }
}

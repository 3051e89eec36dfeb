import type { Version } from './types.ts'

/** What differs on the wire between the simulated releases (facts §18). */
type Traits = {
  version: string
  release: string
  repoid: string
  kernel: string
  qemu: string
  /** Body `message` beside the reason phrase: libpve-http-server-perl 5.2.0, January 2025. */
  messageInBody: boolean
  /** "Authentication failed!" for every 401: pve-manager 9.1.5. */
  unified401: boolean
  newVncTicket: boolean
  maxBody: number
  /** Numbers that Perl happens to send as strings. */
  strings: { vmid: boolean; pid: boolean; port: boolean; nextid: boolean; memory: boolean }
  agentPrivilege: { audit: string[]; unrestricted: string[] }
  /** Whether SDN.Use on the bridge is required. */
  bridgePermission: boolean
  resizeIsTask: boolean
  /** memhost, pressure*, memory.available */
  hostMetrics: boolean
}

const GUEST_AGENT = {
  audit: ['VM.GuestAgent.Audit', 'VM.GuestAgent.Unrestricted'],
  unrestricted: ['VM.GuestAgent.Unrestricted'],
}
const MONITOR = { audit: ['VM.Monitor'], unrestricted: ['VM.Monitor'] }

const TRAITS: Record<Version, Traits> = {
  '7.4': {
    version: '7.4-16',
    release: '7.4',
    repoid: '0f39f621',
    kernel: '5.15.107-2-pve',
    qemu: '7.2.0',
    messageInBody: false,
    unified401: false,
    newVncTicket: false,
    maxBody: 64 * 1024,
    strings: { vmid: true, pid: true, port: true, nextid: true, memory: false },
    agentPrivilege: MONITOR,
    bridgePermission: false,
    resizeIsTask: false,
    hostMetrics: false,
  },
  '8.4': {
    version: '8.4.1',
    release: '8.4',
    repoid: '2a5fa54a8503f96d',
    kernel: '6.8.12-9-pve',
    qemu: '9.2.0',
    messageInBody: true,
    unified401: false,
    newVncTicket: false,
    maxBody: 512 * 1024,
    strings: { vmid: false, pid: false, port: true, nextid: true, memory: true },
    agentPrivilege: MONITOR,
    bridgePermission: true,
    resizeIsTask: true,
    hostMetrics: false,
  },
  '9.1': {
    version: '9.1.9',
    release: '9.1',
    repoid: 'ee7bad0a3d1546c9',
    kernel: '6.17.2-1-pve',
    qemu: '10.1.2',
    messageInBody: true,
    unified401: true,
    newVncTicket: true,
    maxBody: 512 * 1024,
    strings: { vmid: false, pid: false, port: true, nextid: true, memory: true },
    agentPrivilege: GUEST_AGENT,
    bridgePermission: true,
    resizeIsTask: true,
    hostMetrics: true,
  },
}

export const traits = (version: Version) => TRAITS[version]

/** Whether `version` is at least the wanted one, such as '8.2'. */
export function atLeast(version: Version, wanted: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [wantMajor = 0, wantMinor = 0] = wanted.split('.').map(Number)
  return major > wantMajor || (major === wantMajor && minor >= wantMinor)
}

/** The wire form of an id or number that some releases send as a string. */
export const wire = (value: number, asString: boolean): number | string =>
  asString ? String(value) : value

import { parse, stringify } from 'yaml'
import { AppError } from '#shared/errors.ts'
import { isoImage } from '#shared/iso/iso-image.ts'
import { dnsName } from '../guest/guest-setup.ts'
import type { GuestSetup, SeedContent } from '../port/hypervisor.ts'
import { sha512Crypt } from './sha512-crypt.ts'

/** What Proxmox itself would tell the guest. */
export type OwnTexts = { meta: string; network: string }

/** As cloud-init reads it: YAML 1.1, in which a bare `no` or `2026-01-01` is no text. */
const yaml = (content: object) => stringify(content, { lineWidth: 0, version: '1.1' })
const cloudConfig = (settings: object) => `#cloud-config\n${yaml(settings)}`

/**
 * The drive that cloud-init finds instead of Proxmox's own (NoCloud, label `cidata`). The client's
 * text is the user-data, letter by letter; the login that we gave the server is the vendor-data,
 * which user-data overrules.
 */
export function seedImage(own: OwnTexts, { setup, userData }: SeedContent): Uint8Array {
  const { hostname, fqdn } = namesOf(setup)
  const meta = { 'instance-id': instanceId(own.meta), 'local-hostname': hostname }
  return isoImage('cidata', [
    { name: 'meta-data', content: yaml(meta) },
    { name: 'network-config', content: own.network },
    { name: 'vendor-data', content: cloudConfig({ hostname, fqdn, ...loginOf(setup) }) },
    { name: 'user-data', content: userData },
  ])
}

/**
 * The same id as on Proxmox's drive: once that is back, cloud-init recognises the instance and does
 * not set it up a second time (decision 023).
 */
function instanceId(meta: string): string {
  const id: unknown = parse(meta)?.['instance-id']
  if (typeof id === 'string' && id !== '') return id
  throw new AppError(
    'CLUSTER_REFUSED',
    'The cluster did not say which id its cloud-init drive has.',
  )
}

function namesOf({ name, network }: GuestSetup) {
  const full = dnsName(name)
  const [hostname = full] = full.split('.')
  const domain = network?.searchDomain
  return { hostname, fqdn: full.includes('.') || !domain ? full : `${full}.${domain}` }
}

/** As Proxmox writes it. The password only as a hash; with keys there is none. */
function loginOf({ user }: GuestSetup) {
  if (user === undefined) return {}
  const { name, password, sshKeys = [] } = user
  return {
    manage_etc_hosts: true,
    user: name,
    ...(name === 'root' ? { disable_root: false } : { users: ['default'] }),
    ...(password === undefined ? {} : { password: sha512Crypt(password) }),
    ...(sshKeys.length === 0 ? {} : { ssh_authorized_keys: sshKeys }),
    chpasswd: { expire: false },
    package_upgrade: false,
  }
}

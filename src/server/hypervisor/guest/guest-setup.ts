import type { ConfigChange } from '#proxmox/calls/qemu.ts'
import type { VmConfig } from '#proxmox/calls/vm-answers.ts'
import { encodeSshKeys } from '#proxmox/wire/encoding.ts'
import { changeNetDevice } from '#proxmox/wire/property-string.ts'
import type { GuestNetwork, GuestSetup } from '../port/hypervisor.ts'

type Keys = Record<string, boolean | number | string>

/**
 * The settings of a fresh clone or a fresh disk (facts §12). Sends only keys that differ, so a
 * repeated step changes nothing; the password is masked when read and therefore always sent.
 */
export function guestSetupChange(config: VmConfig, setup: GuestSetup): ConfigChange {
  const { values } = config
  const wanted: Keys = {
    name: dnsName(setup.name),
    description: withMarker(values.description ?? '', setup.marker),
    ...(setup.cores === undefined ? {} : { cores: setup.cores }),
    ...(setup.memoryMb === undefined ? {} : { memory: setup.memoryMb }),
    ...(setup.startsWithNode === undefined ? {} : { onboot: setup.startsWithNode }),
    ...(setup.tags === undefined ? {} : { tags: setup.tags.map(tag).join(';') }),
    ...networkKeys(values.net0 ?? 'virtio,bridge=vmbr0', setup.network),
    ...userKeys(setup.user),
  }
  const isNew = ([key, value]: [string, Keys[string]]) =>
    key === 'cipassword' ||
    values[key] !== (typeof value === 'boolean' ? flag(value) : String(value))
  return {
    set: Object.fromEntries(Object.entries(wanted).filter(isNew)),
    unset:
      setup.user === undefined
        ? []
        : CREDENTIALS.filter((key) => key in values && !(key in wanted)),
    digest: config.digest,
  }
}

/**
 * A clone has the password and keys of its template, and a reinstalled VM those of its old system:
 * they are deleted unless the new user is given some.
 */
const CREDENTIALS = ['cipassword', 'sshkeys']

const flag = (value: boolean) => (value ? '1' : '0')

function networkKeys(net0: string, network: GuestNetwork | undefined): Keys {
  if (network === undefined) return {}
  const { mac, bridge, vlan, addresses, nameservers, searchDomain } = network
  return {
    net0: changeNetDevice(net0, {
      ...(mac === undefined ? {} : { mac: mac.toUpperCase() }),
      ...(bridge === undefined ? {} : { bridge }),
      tag: vlan === undefined ? undefined : String(vlan),
    }),
    ipconfig0: addresses.map(ipConfig).join(','),
    // Unset, PVE would write the node's own resolver, and a migration would make cloud-init run
    // again.
    nameserver: nameservers.join(' '),
    searchdomain: searchDomain,
  }
}

const ipConfig = ({ address, gateway }: GuestNetwork['addresses'][number]): string =>
  address.includes(':') ? `ip6=${address},gw6=${gateway}` : `ip=${address},gw=${gateway}`

/** `ciupgrade` off: a package upgrade at first boot delays the first sign-in by minutes. */
function userKeys(user: GuestSetup['user']): Keys {
  if (user === undefined) return {}
  const { name, password, sshKeys = [] } = user
  return {
    ciuser: name,
    ciupgrade: false,
    ...(password === undefined ? {} : { cipassword: password }),
    ...(sshKeys.length === 0 ? {} : { sshkeys: encodeSshKeys(sshKeys) }),
  }
}

function withMarker(description: string, marker: string): string {
  return description.split(/\s+/).includes(marker)
    ? description
    : `${description}\n${marker}`.trim()
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const DNS_NAME = new RegExp(`^(?=.{1,127}$)${LABEL}(?:\\.${LABEL})*$`)

/** PVE's names are DNS names; ours are free text, unless it is one already. */
export function dnsName(text: string): string {
  if (DNS_NAME.test(text)) return text
  const ascii = text.normalize('NFKD').replaceAll(/[\u0300-\u036f]/g, '')
  const label = ascii.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return label.slice(0, 60).replaceAll(/^-+|-+$/g, '') || 'vps'
}

const tag = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9_\-+.]+/g, '-')

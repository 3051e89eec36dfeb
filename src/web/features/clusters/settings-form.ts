import { ClusterSettings } from '#shared/api/servers/clusters.ts'

/** As typed: numbers are strings, several DNS servers one line. */
export type NetworkFields = {
  cidr: string
  gateway: string
  bridge: string
  vlan: string
  nameservers: string
  searchDomain: string
  first: string
  last: string
  isConfirmed: boolean
}

export type SettingsFields = {
  networks: NetworkFields[]
  firstVmId: string
  lastVmId: string
  pool: string
  storage: string
  cloneMode: 'full' | 'linked'
  directConsole: boolean
  guestAgent: boolean
}

export const EMPTY_NETWORK: NetworkFields = {
  cidr: '',
  gateway: '',
  bridge: 'vmbr0',
  vlan: '',
  nameservers: '',
  searchDomain: '',
  first: '',
  last: '',
  isConfirmed: false,
}

export const fieldsOf = (settings: ClusterSettings): SettingsFields => ({
  networks: settings.networks.map((network) => ({
    cidr: network.cidr,
    gateway: network.gateway,
    bridge: network.bridge,
    vlan: network.vlan ? String(network.vlan) : '',
    nameservers: network.nameservers.join(', '),
    searchDomain: network.searchDomain,
    first: network.first ?? '',
    last: network.last ?? '',
    isConfirmed: network.isConfirmed,
  })),
  firstVmId: String(settings.vmIdRange.first),
  lastVmId: String(settings.vmIdRange.last),
  pool: settings.pool ?? '',
  storage: settings.storage ?? '',
  cloneMode: settings.cloneMode,
  directConsole: settings.directConsole,
  guestAgent: settings.guestAgent,
})

const number = (text: string) => (text.trim() === '' ? Number.NaN : Number(text))
const list = (text: string) => text.split(/[\s,;]+/).filter(Boolean)
const orNull = (text: string) => text.trim() || null

export const settingsOf = (fields: SettingsFields): ClusterSettings => ({
  networks: fields.networks.map((network) => ({
    cidr: network.cidr.trim(),
    gateway: network.gateway.trim(),
    bridge: network.bridge.trim(),
    vlan: network.vlan.trim() === '' ? null : Number(network.vlan),
    nameservers: list(network.nameservers),
    searchDomain: network.searchDomain.trim(),
    first: orNull(network.first),
    last: orNull(network.last),
    isConfirmed: network.isConfirmed,
  })),
  vmIdRange: { first: number(fields.firstVmId), last: number(fields.lastVmId) },
  pool: orNull(fields.pool),
  storage: orNull(fields.storage),
  cloneMode: fields.cloneMode,
  directConsole: fields.directConsole,
  guestAgent: fields.guestAgent,
})

/** Where the form keeps a field that the schema names differently. */
const FORM_PATHS: Record<string, string> = {
  'vmIdRange.first': 'firstVmId',
  'vmIdRange.last': 'lastVmId',
  vmIdRange: 'lastVmId',
}

/** The schema's sentences, at the fields of the form. */
export function settingsIssues(fields: SettingsFields): { path: PropertyKey[]; message: string }[] {
  const issues = ClusterSettings.safeParse(settingsOf(fields)).error?.issues ?? []
  return [...issues, ...rangeIssues(fields)].map(({ path, message }) => {
    const [first] = path
    // One line holds all DNS servers: any invalid one marks the line.
    if (first === 'networks') return { path: path.slice(0, 3), message: plain(message, path[2]) }
    const renamed = FORM_PATHS[path.join('.')]
    return { path: renamed ? [renamed] : path, message: plain(message, renamed) }
  })
}

/** The range for clients must be given before it is confirmed. */
const rangeIssues = ({ networks }: SettingsFields) =>
  networks.flatMap(({ isConfirmed, first, last }, index) =>
    Object.entries({ first, last }).flatMap(([field, value]) =>
      isConfirmed && value.trim() === ''
        ? [{ path: ['networks', index, field], message: `Enter the ${field} address for clients` }]
        : [],
    ),
  )

/** The schema has no sentence of its own for numbers. */
function plain(message: string, field: PropertyKey | undefined): string {
  if (field === 'vlan') return 'VLAN must be a number from 1 to 4094'
  const isNumber = field === 'firstVmId' || field === 'lastVmId'
  return isNumber && message.startsWith('Invalid') ? 'VM id must be a whole number' : message
}

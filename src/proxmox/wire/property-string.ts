/**
 * PVE's "property strings": `1,fstrim_cloned_disks=1`, `virtio=BC:24:…,bridge=vmbr0,firewall=1`.
 * The first part may lack its key (the format's default key). Every other part keeps its place and
 * spelling, so that changing one sub-key never destroys another.
 */
export type Property = { readonly key: string | undefined; readonly value: string }

export function parseProperties(text: string): Property[] {
  if (text === '') return []
  return text.split(',').map((part) => {
    // Only the first '=' separates: values may be base64 (smbios1) and end in '='.
    const at = part.indexOf('=')
    return at === -1
      ? { key: undefined, value: part }
      : { key: part.slice(0, at), value: part.slice(at + 1) }
  })
}

export function writeProperties(properties: readonly Property[]): string {
  return properties
    .map(({ key, value }) => (key === undefined ? value : `${key}=${value}`))
    .join(',')
}

/** Default keys of the property strings we change (schema: `default_key`). */
export const DEFAULT_KEY = {
  agent: 'enabled',
  boot: 'legacy',
  cpu: 'cputype',
  disk: 'file',
  machine: 'type',
  memory: 'current',
  vga: 'type',
} as const

const isNamed = (property: Property, key: string, defaultKey: string | undefined) =>
  property.key === undefined ? key === defaultKey : property.key === key

export function getProperty(text: string, key: string, defaultKey?: string): string | undefined {
  return parseProperties(text).find((property) => isNamed(property, key, defaultKey))?.value
}

/** Sets one sub-key, or removes it with `undefined`. */
export function setProperty(
  text: string,
  change: { key: string; value: string | undefined; defaultKey?: string | undefined },
): string {
  const { key, value, defaultKey } = change
  const properties = parseProperties(text)
  const at = properties.findIndex((property) => isNamed(property, key, defaultKey))
  if (value === undefined) return writeProperties(properties.filter((_, index) => index !== at))
  if (at !== -1) {
    return writeProperties(properties.map((old, index) => (index === at ? { ...old, value } : old)))
  }
  // PVE accepts a bare default value only at the front.
  return key === defaultKey
    ? writeProperties([{ key: undefined, value }, ...properties])
    : writeProperties([...properties, { key, value }])
}

const MAC = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i

export type NetDevice = { model: string; mac: string | undefined; bridge: string | undefined }

/** `net0`: the model is itself the key of the MAC, or both are written out. */
export function readNetDevice(text: string): NetDevice | undefined {
  const properties = parseProperties(text)
  const aliased = properties.find(({ key, value }) => key !== 'macaddr' && MAC.test(value))
  const model =
    aliased?.key ?? getProperty(text, 'model') ?? properties.find(({ key }) => !key)?.value
  if (model === undefined) return undefined
  const mac = aliased?.value ?? getProperty(text, 'macaddr')
  return { model, mac: mac?.toUpperCase(), bridge: getProperty(text, 'bridge') }
}

/** Changes sub-keys of a NIC and keeps its MAC: without a MAC PVE would generate a new one. */
export function changeNetDevice(
  text: string,
  changes: Readonly<Record<string, string | undefined>> & { mac?: string },
): string {
  const { mac, ...rest } = changes
  let result = mac === undefined ? text : withMac(text, mac)
  for (const [key, value] of Object.entries(rest)) result = setProperty(result, { key, value })
  return result
}

function withMac(text: string, mac: string): string {
  // The long spelling, `model=virtio,macaddr=…`, stays long.
  if (getProperty(text, 'model') !== undefined) {
    return setProperty(text, { key: 'macaddr', value: mac })
  }
  const model = readNetDevice(text)?.model ?? 'virtio'
  const others = parseProperties(text).filter(({ key, value }) => (key ?? value) !== model)
  return writeProperties([{ key: model, value: mac }, ...others])
}

export type ParameterValue = boolean | number | string | readonly (number | string)[] | undefined
export type Parameters = Readonly<Record<string, ParameterValue>>

/**
 * A path below /api2/json whose inserted parts are percent-encoded: UPIDs and volume ids contain
 * ':' and '/'.
 */
export type ApiPath = { readonly path: string; readonly node: string | undefined }

/** path`/nodes/${node}/qemu/${vmid}/config` */
export function path(literals: TemplateStringsArray, ...parts: (number | string)[]): ApiPath {
  const text = literals.reduce(
    (whole, literal, index) => whole + encodeURIComponent(String(parts[index - 1])) + literal,
  )
  const node = /^\/nodes\/([^/]+)/.exec(text)?.[1]
  return { path: text, node: node === undefined ? undefined : decodeURIComponent(node) }
}

/**
 * Form encoding as pveproxy reads it: booleans are exactly 1 and 0, lists are joined by commas,
 * and '=' and ';' inside values are percent-encoded because the server splits on them naively.
 */
export function encodeForm(parameters: Parameters): string {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) form.append(name, formValue(value))
  }
  return form.toString()
}

function formValue(value: Exclude<ParameterValue, undefined>): string {
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value === 'object') return value.join(',')
  return String(value)
}

/** `sshkeys` is percent-encoded once on its own and again by the form (facts §12). */
export function encodeSshKeys(keys: readonly string[]): string {
  return encodeURIComponent(keys.map((key) => key.trim()).join('\n'))
}

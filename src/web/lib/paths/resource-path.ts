import { paths } from './paths.ts'

const RESOURCE_KINDS = ['cluster', 'node', 'template', 'instance'] as const
export type ResourceKind = (typeof RESOURCE_KINDS)[number]
export type Resource = { kind: ResourceKind; id: number }

/** "node-3" */
export const resourceKey = ({ kind, id }: Resource): string => `${kind}-${id}`

export function parseResource(key: string): Resource | undefined {
  const match = /^([a-z]+)-(\d{1,10})$/.exec(key)
  const kind = RESOURCE_KINDS.find((one) => one === match?.[1])
  return kind && { kind, id: Number(match?.[2]) }
}

/** One resource in the Proxmox Manager. */
export const resourcePath = (kind: ResourceKind, id: number): string =>
  `${paths.proxmoxManager}?resource=${resourceKey({ kind, id })}`

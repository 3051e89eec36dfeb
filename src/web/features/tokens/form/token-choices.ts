import type { Instance } from '#shared/api/servers/instances.ts'
import type { Node } from '#shared/api/servers/nodes.ts'
import type { OperatingSystem } from '#shared/api/servers/operating-systems.ts'
import type { Template } from '#shared/api/servers/templates.ts'
import type { Places } from '../../../widgets/cluster/places.ts'

export type Choice = { value: string; label: string; disabled?: boolean }

const none = (label: string): Choice => ({ value: '', label })

/** Only online nodes; the chosen one stays, with its state, even before the list is loaded. */
export function nodeChoices(
  nodes: readonly Node[] | undefined,
  places: Places,
  chosen = '',
): Choice[] {
  const listed = (nodes ?? []).filter(
    ({ id, status }) => status === 'online' || String(id) === chosen,
  )
  const isListed = chosen === '' || listed.some(({ id }) => String(id) === chosen)
  return [
    none('Choose a node'),
    ...listed.map((node) => ({
      value: String(node.id),
      label: node.status === 'online' ? places.node(node) : `${places.node(node)} (${node.status})`,
    })),
    // A select drops a value without an option.
    ...(isListed ? [] : [{ value: chosen, label: nodes ? `Node ${chosen}` : 'Loading…' }]),
  ]
}

/** The templates of the node; one chosen on another node stays, as a number. */
export function templateChoices(templates: readonly Template[] | undefined, chosen = ''): Choice[] {
  const listed = templates ?? []
  const isListed = chosen === '' || listed.some(({ id }) => String(id) === chosen)
  return [
    none('Choose a template'),
    ...listed.map(({ id, name, templateId }) => ({
      value: String(id),
      label: `${name} (${templateId})`,
    })),
    ...(isListed ? [] : [{ value: chosen, label: templates ? `Template ${chosen}` : 'Loading…' }]),
  ]
}

/** Only running instances without an owner. */
export const instanceChoices = (instances: readonly Instance[] = []): Choice[] => [
  none('Choose an instance'),
  ...instances
    .filter(
      ({ status, tokenId, ownerId }) =>
        status === 'running' && tokenId === null && ownerId === null,
    )
    .map(({ id, name, vmId }) => ({ value: String(id), label: `${name} (${vmId})` })),
]

/** Only active systems; the chosen one stays. */
export function systemChoices(systems: readonly OperatingSystem[] = [], chosen = ''): Choice[] {
  const active = systems.filter(({ isActive }) => isActive).map(({ name }) => name)
  const names = chosen === '' || active.includes(chosen) ? active : [...active, chosen]
  return [none('Choose a system'), ...names.map((name) => ({ value: name, label: name }))]
}

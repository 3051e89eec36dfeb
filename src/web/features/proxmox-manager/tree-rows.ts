import type { Cluster } from '#shared/api/servers/clusters.ts'
import type { Instance } from '#shared/api/servers/instances.ts'
import type { Node } from '#shared/api/servers/nodes.ts'
import type { Template } from '#shared/api/servers/templates.ts'
import { instanceName } from '../../lib/instance/instance-status.ts'
import { type Resource, resourceKey } from '../../lib/paths/resource-path.ts'
import { matcher } from '../../widgets/list/matcher.ts'

export type Inventory = {
  clusters: readonly Cluster[]
  nodes: readonly Node[]
  templates: readonly Template[]
  instances: readonly Instance[]
}

export type RowKind =
  | 'datacenter'
  | 'cluster'
  | 'node'
  | 'folder'
  | 'template'
  | 'instance'
  | 'none'

/** One line of the tree as it is drawn. */
export type TreeRow = {
  key: string
  kind: RowKind
  label: string
  level: number
  parent: string | undefined
  /** Undefined for a line with nothing below it. */
  isExpanded: boolean | undefined
  position: number
  siblings: number
  /** The resource that a click shows on the right. */
  resource?: Resource
  status?: string
  note?: string
}

type Branch = {
  key: string
  kind: RowKind
  label: string
  resource?: Resource
  status?: string
  note?: string
  children?: Branch[]
}

const collator = new Intl.Collator('en', { numeric: true })
const byLabel = (a: Branch, b: Branch) => collator.compare(a.label, b.label)

const by = <T>(items: readonly T[], keyOf: (item: T) => number | null) => {
  const groups = new Map<number | null, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

const leaf = (kind: 'template' | 'instance', id: number, rest: Omit<Branch, 'key' | 'kind'>) => {
  const resource: Resource = { kind, id }
  return { key: resourceKey(resource), kind, resource, ...rest } satisfies Branch
}

/**
 * The datacenter as branches: cluster, node, templates and virtual machines. Built once per read.
 */
export function buildTree({ clusters, nodes, templates, instances }: Inventory): Branch {
  const nodesOf = by(nodes, ({ clusterId }) => clusterId)
  const templatesOf = by(templates, ({ nodeId }) => nodeId)
  const instancesOf = by(instances, ({ nodeId }) => nodeId)

  const templateLeaves = (nodeId: number) =>
    (templatesOf.get(nodeId) ?? [])
      .map(({ id, name, templateId }) =>
        leaf('template', id, { label: name, note: `${templateId}` }),
      )
      .sort(byLabel)
  const instanceLeaves = (list: readonly Instance[]) =>
    list
      .map((one) =>
        leaf('instance', one.id, {
          label: instanceName(one),
          note: String(one.vmId),
          status: one.status,
        }),
      )
      .sort(byLabel)

  const nodeBranch = (node: Node): Branch => ({
    key: resourceKey({ kind: 'node', id: node.id }),
    kind: 'node',
    label: node.name,
    status: node.status,
    resource: { kind: 'node', id: node.id },
    children: [
      folder(
        `templates-${node.id}`,
        'Templates',
        templateLeaves(node.id),
        'No templates available',
      ),
      folder(
        `instances-${node.id}`,
        'Virtual machines',
        instanceLeaves(instancesOf.get(node.id) ?? []),
        'No instances available',
      ),
    ],
  })
  const clusterIds = new Set([...clusters.map(({ id }) => id), ...nodes.map((n) => n.clusterId)])
  const clusterBranches = [...clusterIds].map((id): Branch => {
    const cluster = clusters.find((one) => one.id === id)
    return {
      key: resourceKey({ kind: 'cluster', id }),
      kind: 'cluster',
      label: cluster?.name ?? `Cluster ${id}`,
      resource: { kind: 'cluster', id },
      ...(cluster && { status: cluster.status }),
      children: (nodesOf.get(id) ?? []).map(nodeBranch).sort(byLabel),
    }
  })
  const known = new Set(nodes.map(({ id }) => id))
  const lost = instanceLeaves(
    instances.filter(({ nodeId }) => nodeId === null || !known.has(nodeId)),
  )
  return {
    key: 'datacenter',
    kind: 'datacenter',
    label: 'Datacenter',
    children: [
      ...clusterBranches.sort(byLabel),
      ...(lost.length > 0 ? [folder('lost', 'On no node', lost, '')] : []),
    ],
  }
}

function folder(key: string, label: string, children: Branch[], empty: string): Branch {
  const content: Branch[] =
    children.length > 0 ? children : [{ key: `${key}-none`, kind: 'none', label: empty }]
  return { key, kind: 'folder', label: `${label} (${children.length})`, children: content }
}

/** The part of a branch that remains in a search: the matches and their ancestors. */
function pruned(branch: Branch, matches: (...texts: string[]) => boolean): Branch | undefined {
  if (branch.kind === 'none') return undefined
  if (branch.kind !== 'folder' && matches(branch.label, branch.note ?? '')) return branch
  const children = branch.children?.flatMap((child) => pruned(child, matches) ?? [])
  if (!children || children.length === 0) return undefined
  const label =
    branch.kind === 'folder'
      ? branch.label.replace(/\(\d+\)$/, `(${children.length})`)
      : branch.label
  return { ...branch, label, children }
}

/** The lines to draw. In a search every match is open. */
export function treeRows(
  tree: Branch,
  isOpen: (branch: Pick<Branch, 'key' | 'kind'>) => boolean,
  search = '',
): TreeRow[] {
  const isSearching = search.trim() !== ''
  const root = isSearching ? pruned(tree, matcher(search)) : tree
  const rows: TreeRow[] = []
  const add = (branch: Branch, level: number, parent: string | undefined, at: [number, number]) => {
    const { children, ...rest } = branch
    const isExpanded = children && (isSearching || isOpen(branch))
    rows.push({ ...rest, level, parent, isExpanded, position: at[0], siblings: at[1] })
    if (!isExpanded) return
    for (const [index, child] of children.entries()) {
      add(child, level + 1, branch.key, [index + 1, children.length])
    }
  }
  if (root) add(root, 1, undefined, [1, 1])
  return rows
}

/** The keys above a resource, so that a link to it opens its ancestors. */
export function pathTo(tree: Branch, key: string): string[] {
  if (tree.key === key) return []
  for (const child of tree.children ?? []) {
    if (child.key === key) return [tree.key]
    const below = pathTo(child, key)
    if (below.length > 0) return [tree.key, ...below]
  }
  return []
}

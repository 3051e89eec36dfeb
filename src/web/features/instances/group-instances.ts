import type { Instance } from '#shared/api/servers/instances.ts'
import { instanceName } from '../../lib/instance/instance-status.ts'
import type { Places } from '../../widgets/cluster/places.ts'
import { matcher } from '../../widgets/list/matcher.ts'

/** A flat list to draw: the heading of a group, then its rows. */
export type Item =
  | { kind: 'group'; key: string; name: string; count: number }
  | { kind: 'row'; key: string; instance: Instance }

const collator = new Intl.Collator('en', { numeric: true })

const isRunning = ({ status }: Instance) => status === 'running'

function order(a: Instance, b: Instance): number {
  const running = Number(isRunning(b)) - Number(isRunning(a))
  return running || collator.compare(instanceName(a), instanceName(b)) || a.id - b.id
}

/**
 * Groups by node name, alphabetically; running ones first, then by name. Nodes with one name in two
 * clusters are two groups.
 */
export function itemsByNode(instances: readonly Instance[], places: Places): Item[] {
  const groups = new Map<string, Instance[]>()
  for (const instance of instances) {
    const name = places.nodeOf(instance)
    const group = groups.get(name)
    if (group) group.push(instance)
    else groups.set(name, [instance])
  }
  return [...groups]
    .sort(([a], [b]) => collator.compare(a, b))
    .flatMap(([name, group]): Item[] => [
      { kind: 'group', key: `group-${name}`, name, count: group.length },
      ...group
        .sort(order)
        .map((instance): Item => ({ kind: 'row', key: String(instance.id), instance })),
    ])
}

export function findInstances(
  instances: readonly Instance[],
  text: string,
  places: Places,
): readonly Instance[] {
  if (text.trim() === '') return instances
  const matches = matcher(text)
  return instances.filter((instance) =>
    matches(
      instance.label,
      instance.name,
      instance.vmId,
      instance.status,
      instance.ipAddress,
      instance.node?.name,
      places.clusterOf(instance.clusterId),
      instance.clientName,
    ),
  )
}

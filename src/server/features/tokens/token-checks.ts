import { and, eq, isNull } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { takeAddress } from '../../addresses/take-address.ts'
import { brokenConstraint, type Db } from '../../db/database.ts'
import { clusters, nodes, templates } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import { settingsOf } from '../../inventory/clusters/cluster-store.ts'
import { maySetPassword, NO_GUEST_PASSWORD } from '../../inventory/clusters/guest-passwords.ts'
import { instanceRows } from '../../inventory/views/instance-rows.ts'
import { liveState } from '../../inventory/views/live-instances.ts'
import { canReach, NO_CLOUD_INIT } from '../../inventory/views/template-reach.ts'
import { nodeStatus } from '../../provisioning/allocation/stock-health.ts'
import type { Deps } from '../../runtime/deps.ts'

const invalid = (sentence: string) => new AppError('INVALID_INPUT', sentence)
const conflict = (sentence: string) => new AppError('CONFLICT', sentence)

export type Place = Awaited<ReturnType<typeof placeOf>>
type Live = Pick<Deps, 'hypervisors' | 'clock'>

/** The node of a token, with its cluster. It must be online. */
export async function placeOf(tx: Db, nodeId: number, { hypervisors }: Live) {
  const [place] = await tx
    .select({ node: nodes, cluster: clusters })
    .from(nodes)
    .innerJoin(clusters, eq(clusters.id, nodes.clusterId))
    .where(eq(nodes.id, nodeId))
  if (!place) throw invalid('Please select a node')
  if (nodeStatus(place.node, hypervisors) !== 'online') {
    throw new AppError('INVALID_STATE', 'The node is not online. Please select another node.')
  }
  return place
}

export async function checkTemplate(
  tx: Db,
  templateId: number,
  { cluster, node }: Place,
  { hypervisors }: Live,
): Promise<void> {
  const [template] = await tx
    .select()
    .from(templates)
    .where(
      and(
        eq(templates.id, templateId),
        eq(templates.clusterId, cluster.id),
        isNull(templates.missingSince),
      ),
    )
  if (!template) throw invalid('Please select a template')
  if (template.hasCloudInit === false) throw new AppError('INVALID_STATE', NO_CLOUD_INIT)
  const { storage, cloneMode } = settingsOf(cluster)
  const to = { nodeId: node.id, storage: cloneMode === 'full' ? storage : null }
  const inventory = hypervisors.all().get(cluster.id)?.inventory.view().inventory
  if (!canReach(template, to, inventory)) {
    const sentence = `This template cannot be cloned to ${node.name}: its disks, or those of new servers, are on local storage. Choose the template's own node, or use shared storage.`
    throw new AppError('INVALID_STATE', sentence)
  }
}

/** Takes the address for the token: it must lie in a range of the cluster and be free (P8). */
export const holdAddress = (
  tx: Db,
  address: string,
  { cluster }: Place,
  { clock, tokenId }: Pick<Deps, 'clock'> & { tokenId?: number },
): Promise<void> => takeAddress(tx, { clusterId: cluster.id, address, now: clock.now() }, tokenId)

/** A VM to be sold as it is: it must exist, run and have no owner. */
export async function checkInstance(tx: Db, instanceId: number, place: Place, live: Live) {
  const [instance] = await instanceRows(tx, eq(instances.id, instanceId))
  if (!instance || instance.clusterId !== place.cluster.id) {
    throw invalid('Please select an instance')
  }
  if (instance.tokenId !== null || instance.ownerId !== null) throw instanceTaken()
  if (maySetPassword(instance, live.hypervisors) === false) {
    throw new AppError('INVALID_STATE', NO_GUEST_PASSWORD)
  }
  if (liveState(instance, live).status !== 'running') {
    throw new AppError('INVALID_STATE', 'Only a running instance can be sold as a Ready token.')
  }
  return instance
}

/** Links the VM to the token; of two tokens that want it, one gets it. */
export async function takeInstance(tx: Db, instanceId: number, tokenId: number): Promise<void> {
  const [taken] = await tx
    .update(instances)
    .set({ tokenId })
    .where(
      and(
        eq(instances.id, instanceId),
        isNull(instances.tokenId),
        isNull(instances.ownerId),
        isNull(instances.missingSince),
      ),
    )
    .returning({ id: instances.id })
  if (!taken) throw instanceTaken()
}

const instanceTaken = () => conflict('This instance already has a token or an owner.')

export function asMacConflict(error: unknown): unknown {
  if (brokenConstraint(error) !== 'tokens_mac') return error
  return new AppError('CONFLICT', 'Another token has this MAC address.', { cause: error })
}

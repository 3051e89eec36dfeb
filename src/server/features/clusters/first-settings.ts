import type { ClusterSettings } from '#shared/api/servers/clusters.ts'
import { formatCidr, isHostIn, parseCidr } from '#shared/rules/network/cidr.ts'
import type {
  ClusterFacts,
  Diagnosis,
  DoctorScope,
  Hypervisor,
  Inventory,
} from '../../hypervisor/port/hypervisor.ts'
import { PLAIN_SETTINGS } from '../../inventory/clusters/cluster-store.ts'

const RANGE = 10_000
const LAST_ID = 999_999_999
/** The default name servers of a proposed pool; the operator can change them. */
const NAMESERVERS = ['9.9.9.9', '1.1.1.1']

export type Examined = { settings: ClusterSettings; pools: ProposedPool[]; diagnosis: Diagnosis }
type ProposedPool = ReturnType<typeof poolsOn>[number]

/** The settings for new VMs here, and the permissions the credentials lack for them (P9). */
export async function examine(hypervisor: Hypervisor, inventory: Inventory): Promise<Examined> {
  const facts = await hypervisor.facts()
  const storage = bestStorage(inventory)
  const bridge = facts.bridges.find(({ gateway }) => gateway) ?? facts.bridges[0]
  const scope = {
    storages: storage === undefined ? [] : [storage],
    bridges: bridge === undefined ? [] : [bridge.name],
  }
  const { pool, diagnosis } = await findPool(hypervisor, facts, scope)
  return {
    settings: {
      ...PLAIN_SETTINGS,
      vmIdRange: freeRange(inventory),
      pool: pool ?? null,
      storage: storage ?? null,
    },
    pools: poolsOn(bridge),
    diagnosis,
  }
}

/**
 * The permissions the credentials lack for VMs with these settings. A linked clone, and one without
 * a storage of its own, is on its template's storage: that one is named although the account may
 * not see it.
 */
export async function diagnose(
  hypervisor: Hypervisor,
  { pool, storage, cloneMode, guestAgent }: ClusterSettings,
  { templateStorages, bridges }: { templateStorages: string[]; bridges: string[] },
): Promise<Diagnosis> {
  const templatePool = pool ? otherPool(await hypervisor.facts(), pool) : undefined
  const isOwn = storage && cloneMode === 'full'
  const storages = isOwn ? [storage] : [...(storage ? [storage] : []), ...templateStorages]
  return await hypervisor.diagnose({
    pool: pool ?? undefined,
    templatePool,
    storages: [...new Set(storages)],
    bridges: [...new Set(bridges)],
    guestAgent,
  })
}

/** The pool of the operator guide, for an account that has permissions on none yet. */
const NEW_POOL = 'hushbox'

/**
 * Permissions on all VMs make a pool unnecessary; otherwise our VMs are in one, and permissions on
 * all VMs are never requested.
 */
async function findPool(hypervisor: Hypervisor, facts: ClusterFacts, scope: DoctorScope) {
  const anywhere = await hypervisor.diagnose(scope)
  const isLimited = anywhere.missing.some(({ path }) => path === '/vms')
  if (!isLimited) return { pool: undefined, diagnosis: anywhere }
  const [pool = NEW_POOL] = facts.pools
  const templatePool = otherPool(facts, pool)
  return { pool, diagnosis: await hypervisor.diagnose({ ...scope, pool, templatePool }) }
}

const otherPool = ({ templatePools }: ClusterFacts, pool: string) =>
  templatePools.find((name) => name !== pool) ?? templatePools[0]

/** Shared before local, so that VMs can move; then the one with the most free space. */
function bestStorage({ storages }: Inventory): string | undefined {
  const [best] = storages.toSorted(
    (a, b) =>
      Number(a.node !== undefined) - Number(b.node !== undefined) ||
      b.total - b.used - (a.total - a.used),
  )
  return best?.name
}

/** The network of the nodes themselves: a proposal, until an operator enters a range of it. */
function poolsOn(bridge: ClusterFacts['bridges'][number] | undefined) {
  const { name, cidr: text, gateway } = bridge ?? {}
  const network = text === undefined ? undefined : parseCidr(text)
  if (!name || !gateway || network?.family !== 4) return []
  if (network.prefix < 8 || network.prefix > 30 || !isHostIn(network, gateway)) return []
  const cidr = formatCidr(network)
  if (cidr.startsWith('127.')) return []
  return [
    {
      name: cidr,
      family: 4 as const,
      cidr,
      gateway,
      bridge: name,
      nameservers: NAMESERVERS,
      searchDomain: 'localdomain',
    },
  ]
}

/** Above all existing ids, so that our VMs are listed together. */
function freeRange({ vms, templates }: Inventory): ClusterSettings['vmIdRange'] {
  const highest = [...vms, ...templates].reduce((max, { vmId }) => Math.max(max, vmId), 0)
  const first = Math.ceil((highest + 1) / RANGE) * RANGE
  return first + RANGE > LAST_ID
    ? PLAIN_SETTINGS.vmIdRange
    : { first, last: Math.min(first + 9 * RANGE - 1, LAST_ID) }
}

import { and, asc, desc, eq, isNull } from 'drizzle-orm'
import { holdsSystem } from '#shared/rules/instance/system-of-template.ts'
import type { Db } from '../../db/database.ts'
import { operatingSystems, templates } from '../../db/schema/infrastructure.ts'
import { orders, packages } from '../../db/schema/sales.ts'
import { saysPackage } from '../../orders/package-of-server.ts'
import type { TokenRow } from '../../tokens/token-rows.ts'

type Token = Pick<TokenRow, 'id' | 'osType' | 'templateId'>
type Placed = { token: Token; nodeId: number | null }

/**
 * The systems a server can be reinstalled with, each with our row of the template it comes from. A
 * disk is copied only if its template is on the VM's node, even from a shared storage (facts-2 §2).
 */
export async function systemsFor(db: Db, { token, nodeId }: Placed): Promise<Map<string, number>> {
  const all = await db
    .select()
    .from(templates)
    .where(and(eq(templates.nodeId, nodeId ?? 0), isNull(templates.missingSince)))
    .orderBy(asc(templates.id))
  const usable = all.filter(({ hasCloudInit }) => hasCloudInit !== false)
  const own = usable.find(({ id }) => id === token.templateId)
  const found = new Map<string, number>()
  for (const system of await soldSystems(db, token)) {
    const holder = usable.find(({ name }) => holdsSystem(name, system))
    // The operator said what its own template holds, whatever that is called.
    const template = own && system === token.osType ? own : holder
    if (template) found.set(system, template.id)
  }
  return found
}

/** Those of its package; without one, all that the operator offers. */
async function soldSystems(db: Db, token: Token): Promise<string[]> {
  const [plan] = await db
    .select({ osOptions: packages.osOptions })
    .from(orders)
    .innerJoin(packages, eq(packages.id, orders.planId))
    .where(and(eq(orders.tokenId, token.id), saysPackage))
    .orderBy(desc(orders.id))
    .limit(1)
  if (plan) return plan.osOptions
  const offered = await db
    .select({ name: operatingSystems.name })
    .from(operatingSystems)
    .where(eq(operatingSystems.isActive, true))
    .orderBy(asc(operatingSystems.id))
  return [...new Set([token.osType, ...offered.map(({ name }) => name)])]
}

import { isIPv4 } from 'node:net'
import { and, eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { expiryOf } from '#shared/rules/token/token-expiry.ts'
import { settleVm } from '../../addresses/settle-addresses.ts'
import type { Db } from '../../db/database.ts'
import { orders } from '../../db/schema/sales.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { NOT_SUSPENDED } from '../../inventory/views/suspended.ts'
import type { Step } from '../../jobs/job-definition.ts'
import { moveOrder } from '../../orders/orders.ts'
import { setupOfOrder } from '../../orders/server-setup.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { moveTokens } from '../../tokens/move-token.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import type { Proof } from '../proof/proof-of-life.ts'
import { hasAddress, macOf, type Waited } from './guest-steps.ts'
import {
  loadProvisionState,
  type ProvisionContext,
  type ProvisionInput,
  type ProvisionState,
  requireInstance,
} from './provision-state.ts'
import type { Cloned } from './vm-steps.ts'

/**
 * The last step, one transaction: the proof that the server answers is stored, its money is earned,
 * the server is the client's, and the term runs. There is nothing to undo: either all of it happened and the job is done, or none of it.
 */
export function assignStep(
  deps: JobDeps,
  before: {
    clone: Step<ProvisionInput, Cloned>
    wait: Step<ProvisionInput, Waited>
    proof: Step<ProvisionInput, Proof>
  },
): Step<ProvisionInput> {
  const { db, clock, events, audit } = deps

  const run = ({ jobId, input, output }: ProvisionContext) =>
    db.transaction(async (tx) => {
      const state = await loadProvisionState(tx, input.tokenId)
      const instance = requireInstance(state)
      if (state.token.status === 'assigned' && state.token.assignedInstanceId === instance.id)
        return
      const now = await deliveredAt(tx, input.orderId, clock.now())
      const proof = output(before.proof)
      if (!proof) throw new AppError('INVALID_STATE', 'The server has not answered.')
      const isTrial = state.token.monthlyPriceCents === 0
      const ipAddress = addressOf(state, output(before.wait))
      const seenMac = output(before.clone)?.mac ?? null
      const expiresAt = await deliver(tx, state, input, { now, ipAddress, seenMac })
      await tx
        .update(instances)
        .set({
          ownerId: input.userId,
          tokenId: input.tokenId,
          name: input.name,
          ipAddress,
          status: 'running',
          lastUpdated: now,
          missingSince: null,
          ...NOT_SUSPENDED,
          // A VM that ran before may still have the names an operator gave it.
          ...(state.isReady && { hostname: null, label: await labelOf(tx, input.orderId) }),
        })
        .where(eq(instances.id, instance.id))
      await settleVm(tx, { ...instance, ipAddress }, now)
      await moveOrder(
        tx,
        { id: input.orderId },
        {
          to: 'active',
          now,
          ofJob: jobId,
          values: {
            assignedNodeId: instance.nodeId,
            assignedVmId: instance.vmId,
            failure: null,
            failureDetail: null,
            answeredAt: now,
            answeredBy: proof.by,
            hostKey: proof.hostKey ?? null,
            ...(isTrial ? { trialEndsAt: expiresAt } : { nextBillingAt: expiresAt }),
          },
        },
      )
      await publishTokenChange(tx, events, input.userId)
      await audit.record(tx, undefined, {
        action: 'token.assign',
        target: `token:${input.tokenId}`,
        details: { vmId: instance.vmId, orderId: input.orderId },
      })
    })

  return { name: 'assign', run }
}

const labelOf = async (tx: Db, orderId: number): Promise<string | null> =>
  (await setupOfOrder(tx, orderId))?.label ?? null

/**
 * Never earlier than the order: a process that started with a clock behind would otherwise assign a
 * term that is over once the clock is right (decision 016).
 */
async function deliveredAt(tx: Db, orderId: number, now: Date): Promise<Date> {
  const [order] = await tx
    .select({ at: orders.createdAt })
    .from(orders)
    .where(eq(orders.id, orderId))
  return order && order.at > now ? order.at : now
}

/**
 * A VM that existed before us has an address that we did not allocate: it comes from the guest or
 * from our record.
 */
function addressOf({ token, instance }: ProvisionState, waited: Waited | undefined): string | null {
  if (hasAddress(token)) return token.ipAddress
  const seen = waited?.addresses.find((address) => isIPv4(address)) ?? waited?.addresses[0]
  return seen ?? instance?.ipAddress ?? null
}

/** The token of a client deleted meanwhile is cancelled, so the VM is removed again. */
async function deliver(
  tx: Db,
  state: ProvisionState,
  input: ProvisionInput,
  { now, ipAddress, seenMac }: { now: Date; ipAddress: string | null; seenMac: string | null },
): Promise<Date> {
  const { token } = state
  const instance = requireInstance(state)
  const expiresAt = expiryOf({ assignedAt: now, durationDays: token.durationDays }) ?? now
  const isClaimed = and(eq(tokens.id, token.id), eq(tokens.assignedUserId, input.userId))
  const [row] = await moveTokens(tx, isClaimed, {
    to: 'assigned',
    from: ['pending'],
    values: {
      assignedInstanceId: instance.id,
      proxmoxVmId: instance.vmId,
      assignedAt: now,
      expiresAt,
      ipAddress,
      blocked: null,
      macAddress:
        instance.marker === null ? (token.macAddress ?? seenMac) : macOf(state, instance.marker),
    },
  })
  if (!row) throw new AppError('INVALID_STATE', 'The token was cancelled meanwhile.')
  return expiresAt
}

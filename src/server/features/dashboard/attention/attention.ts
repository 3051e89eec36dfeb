import type { Attention } from '#shared/api/overview/dashboard.ts'
import { backupsFailed, backupsLate } from './backups.ts'
import {
  certificatesChanged,
  clustersDown,
  clustersRefusing,
  nodesOffline,
  nothingToSell,
} from './clusters.ts'
import {
  disputedPayments,
  paidOrders,
  readyWithoutPassword,
  stockLow,
  suspendedByDispute,
  tokensExpiring,
  unconfirmedOrders,
} from './sales.ts'
import { serversFailed } from './servers.ts'
import { removalsHeld, timeInDoubt } from './time.ts'
import type { AttentionDeps, Watch } from './watch.ts'
import { failedJobs, jobsNotUndone, stuckJobs } from './work.ts'

/**
 * The most pressing first. A new kind is a function beside these and its line here: the page shows
 * any kind, with its own icon if `attention-panel.tsx` names one.
 */
const WATCHES: readonly Watch[] = [
  timeInDoubt,
  removalsHeld,
  clustersDown,
  certificatesChanged,
  clustersRefusing,
  nodesOffline,
  serversFailed,
  nothingToSell,
  failedJobs,
  jobsNotUndone,
  stuckJobs,
  backupsFailed,
  backupsLate,
  suspendedByDispute,
  disputedPayments,
  paidOrders,
  unconfirmedOrders,
  tokensExpiring,
  readyWithoutPassword,
  stockLow,
]

/** Everything that needs an operator's action, and nothing else. */
export async function attention(deps: AttentionDeps): Promise<Attention[]> {
  const rows: Attention[] = []
  for (const watch of WATCHES) {
    const row = await watch(deps)
    if (row) rows.push(row)
  }
  return rows
}

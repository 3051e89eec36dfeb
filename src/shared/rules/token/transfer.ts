import { DAY_MS } from '../time/durations.ts'

/** How long the code of a transfer can be used. */
export const TRANSFER_CODE_MS = DAY_MS

export type TransferFacts = {
  /** The state of the instance. */
  status: string
  /** The state of the time its client has with it; null where it has no client. */
  term: 'pending' | 'assigned' | 'expired' | 'cancelled' | null
  isSuspended: boolean
  /** Made by us, so that its login is ours to set. */
  isOurs: boolean
  isFree: boolean
  /** The login of an earlier transfer is not in force yet. */
  isLoginPending: boolean
  /** A renewal was ordered and is not paid yet. */
  hasOpenRenewal: boolean
  /** Snapshots of ours hold the data of its present owner. */
  hasSnapshots: boolean
  /** So do backups, which could be restored by the next one. */
  hasBackups: boolean
  /** What is in its CD drive. */
  cd: 'iso' | 'rescue' | null
  /** A card is charged for it without its client. */
  renewsItself: boolean
}

/** What each state of an instance rules out, whether for its client or an operator. */
const STATUS: Record<string, string> = {
  creating: 'The server is still being made.',
  deleting: 'It is being deleted.',
  missing: 'The cluster no longer has this VM.',
  reinstalling: 'The server is being reinstalled. Hand it over when that is done.',
  updating: 'Another action is still running on it. Hand it over when that is done.',
}

const TERM = {
  pending: 'The server is still being made.',
  expired: 'This server has expired. Renew it to hand it over.',
  cancelled: 'This server has ended.',
}

/** Why a server cannot be handed to another account now, in a sentence; undefined where it can. */
export function transferRefusal(facts: TransferFacts): string | undefined {
  const { term, status } = facts
  if (term === null) return 'This server has no client.'
  if (term !== 'assigned') return TERM[term]
  if (facts.isFree) return 'A free trial cannot be handed over.'
  if (!facts.isOurs) {
    return 'This server was not made here, so its login cannot be replaced. Ask the operator.'
  }
  if (facts.isSuspended) return 'A suspended server cannot be handed over.'
  if (STATUS[status] !== undefined) return STATUS[status]
  if (facts.isLoginPending) return 'Its login is still being replaced. Try again in some minutes.'
  if (facts.hasSnapshots) {
    return 'This server has snapshots, which hold your data. Delete them, then hand it over.'
  }
  if (facts.hasBackups) {
    return 'This server has backups, which hold your data. Delete them, then hand it over.'
  }
  if (facts.cd !== null) {
    return 'This server was started from a CD. Take it out, or end the rescue; then hand it over.'
  }
  if (facts.renewsItself) {
    return 'This server renews itself by card. Turn that off in Billing, then hand it over.'
  }
  if (facts.hasOpenRenewal) {
    return 'A renewal of this server is not paid yet. Pay or cancel it in Billing first.'
  }
  return undefined
}

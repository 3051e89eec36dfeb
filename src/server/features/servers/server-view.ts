import type { z } from 'zod'
import type { Server } from '#shared/api/overview/servers.ts'
import { POWER_ACTS } from '#shared/rules/instance/instance-power.ts'
import { sizeFromName } from '#shared/rules/instance/instance-size.ts'
import { possibleActs, SERVER_ACTS, type ServerAct } from '#shared/rules/instance/server-acts.ts'
import { decimal } from '#shared/rules/money/money.ts'
import { knownHostOf } from '#shared/rules/network/ssh-port.ts'
import { hasDuty } from '#shared/rules/people/roles.ts'
import { userName } from '#shared/rules/people/user-name.ts'
import { keptUntil, offersRenewal } from '#shared/rules/token/token-expiry.ts'
import { shownAddresses } from '../../addresses/shown-addresses.ts'
import { type LiveDeps, liveState } from '../../inventory/views/live-instances.ts'
import { suspensionOf } from '../../inventory/views/suspended.ts'
import { errorFor, UNFINISHED } from '../../jobs/job-store.ts'
import { withoutBackup } from '../../provisioning/backups/backup-age.ts'
import { HANDOVER } from '../../provisioning/handover/handover-job.ts'
import type { Keyring } from '../../secrets/keyring.ts'
import { type Actor, isAdmin } from '../../sessions/actor.ts'
import { DELIVERED, openPassword } from '../../tokens/token-rows.ts'
import { trafficView } from '../../traffic/traffic-views.ts'
import type { HostKeyOfServer, ServerRow } from './server-row.ts'

export type ViewDeps = LiveDeps & { keyring: Keyring; config: { graceDays: number } }

/** The page of one server. The cluster's last answer is enough: no page waits for it (I1). */
export function serverView(row: ServerRow, actor: Actor, deps: ViewDeps): z.input<typeof Server> {
  const audience = isAdmin(actor) ? 'operator' : 'owner'
  const { token } = row
  const { isLoginPending, hasOpenRenewal, renewsItself, hasSnapshots, cd } = row.transfer
  const lastJobs = lastJobsOf(row)
  const live = liveState(row, deps)
  const price = decimal(token?.monthlyPriceCents ?? 0)
  const term = termOf(row)
  const access = accessOf(row, audience, deps.keyring)
  return {
    ...live,
    ...access,
    id: row.id,
    label: row.label ?? row.name,
    name: row.name,
    hostname: row.hostname,
    failure: row.powerFailure?.[audience === 'operator' ? 'message' : 'publicMessage'] ?? null,
    createdAt: row.createdAt,
    tokenId: row.tokenId,
    packageName: row.order?.planName ?? token?.name ?? null,
    size: sizeFromName(token?.name ?? row.name),
    osType: token?.osType ?? null,
    passwordWay: row.allowsAgent ? 'agent' : 'restart',
    sshKeys: row.keys.toSorted(byName),
    hostKeys: hostKeysOf(row.hostKeys, access.addresses[0]),
    term,
    durationDays: token?.durationDays ?? null,
    monthlyPrice: token && price,
    nextPackage: row.next && plannedView(row.next, price),
    paidUntil: token?.expiresAt ?? null,
    keptUntil: keptUntilOf(token, deps.config.graceDays),
    suspended: suspensionOf(row),
    jobs: lastJobs.map((job) => ({
      ...job,
      error: errorFor(audience === 'operator' ? 'admin' : 'client', job),
    })),
    can: withinDuties(
      actor,
      possibleActs({
        audience,
        status: live.status,
        term,
        isSuspended: row.suspendedAt !== null,
        suspendReason: row.suspendReason ?? '',
        hasPassword: access.hasPassword,
        isOurs: row.marker !== null,
        offersRenewal:
          token !== null && offersRenewal({ ...token, monthlyPrice: price }, deps.clock.now()),
        isFree: token?.monthlyPriceCents === 0,
        isLoginPending,
        isReplacingLogin: lastJobs.some(
          ({ kind, state }) => kind === HANDOVER && UNFINISHED.includes(state),
        ),
        hasOpenRenewal,
        hasSnapshots,
        hasBackups: row.backed.made.length > 0,
        cd,
        renewsItself,
      }),
    ),
    isLoginPending,
    cd,
    traffic: trafficView({ ...row, term: token }, deps.clock.now()).traffic,
    daysWithoutBackup:
      term === 'assigned'
        ? withoutBackup(backupAgeOf(row), token?.assignedAt ?? row.createdAt, deps.clock.now())
        : null,
    transfer: openTransfer(row, deps.clock.now()),
    operator: audience === 'operator' ? operatorFacts(row) : null,
  }
}

type Acts = ReturnType<typeof possibleActs>

/** What the role of a member of the staff does not include is refused here as by the route. */
function withinDuties({ user, admin }: Actor, acts: Acts): Acts {
  const role = admin?.role ?? user.role
  if (role === 'client') return acts
  const refused = SERVER_ACTS.filter((act) => !hasDuty(role, dutyOf(act)))
  return { ...acts, ...Object.fromEntries(refused.map((act) => [act, NOT_OURS])) }
}

const dutyOf = (act: ServerAct) => (POWER_ACTS.some((power) => power === act) ? 'help' : 'run')
const NOT_OURS = { allowed: false, why: 'Your role does not allow this.' }

const TERMS = ['pending', 'assigned', 'expired', 'cancelled'] as const

/** A VM without an owner has no term, also where a token sells it. */
const termOf = ({ token, ownerId }: ServerRow) =>
  ownerId === null ? null : (TERMS.find((term) => term === token?.status) ?? null)

/** Before delivery, its owner sees nothing that leads to the server (T8). */
function accessOf(row: ServerRow, audience: 'owner' | 'operator', keyring: Keyring) {
  const { token } = row
  const isShown = audience === 'operator' || (token !== null && DELIVERED.includes(token.status))
  if (!isShown) {
    return { addresses: [], domain: null, macAddress: null, username: null, hasPassword: false }
  }
  return {
    addresses: shownAddresses(token, row),
    domain: token?.domain ?? null,
    macAddress: token?.macAddress ?? null,
    username: token?.username ?? null,
    hasPassword: token !== null && openPassword(keyring, token) !== '',
  }
}

/** Where no address is shown, there is nothing to sign in to. */
const hostKeysOf = (keys: HostKeyOfServer[], address: string | undefined) =>
  address === undefined
    ? []
    : keys
        .filter(({ replacedAt }) => replacedAt === null)
        .sort(strongestFirst)
        .map(({ type, fingerprint, publicKey, seenAt, lastSeenAt }) => ({
          type,
          fingerprint,
          knownHosts: `${knownHostOf(address)} ${type} ${publicKey}`,
          seenAt,
          lastSeenAt,
          changedAt: lastReplaced(keys.filter((key) => key.type === type)),
        }))

/** When the last of the former keys was replaced. */
function lastReplaced(keys: HostKeyOfServer[]): Date | null {
  const times = keys.flatMap(({ replacedAt }) => replacedAt ?? [])
  return times.length === 0 ? null : new Date(Math.max(...times.map(Number)))
}

const inOrder = (a: string, b: string) => (a < b ? -1 : Number(a > b))
const isWeaker = ({ type }: HostKeyOfServer) => Number(type !== 'ssh-ed25519')
const strongestFirst = (a: HostKeyOfServer, b: HostKeyOfServer) =>
  isWeaker(a) - isWeaker(b) || inOrder(a.type, b.type)

type KeyOfServer = ServerRow['keys'][number]

/** Those that are on its owner's ring have a name, and come first. */
const byName = (a: KeyOfServer, b: KeyOfServer) =>
  Number(a.name === null) - Number(b.name === null) ||
  (a.name ?? '').localeCompare(b.name ?? '') ||
  inOrder(a.fingerprint, b.fingerprint)

/** The last one about the server and the last one about its time, unless they succeeded. */
const lastJobsOf = ({ jobOfToken, jobOfServer }: ServerRow) =>
  [jobOfToken, jobOfServer]
    .filter((job) => job !== null)
    .filter(({ state }) => state !== 'done')
    .sort((a, b) => Number(a.createdAt) - Number(b.createdAt))

/** Its price is the token's already. */
export const plannedView = (next: NonNullable<ServerRow['next']>, price: string) => ({
  id: next.planId,
  name: next.planName,
  price,
  size: sizeFromName(next.serverName),
  from: next.dueAt,
})

/** Only a server that ended has a date until which it is kept. */
const keptUntilOf = (token: ServerRow['token'], graceDays: number): Date | null =>
  token?.status === 'expired' || token?.status === 'cancelled'
    ? (keptUntil(token, graceDays) ?? null)
    : null

const backupAgeOf = ({ backed, hasBackupStorage, plan }: ServerRow) => ({
  ...backed,
  hasStorage: hasBackupStorage,
  limit: plan?.backupLimit ?? null,
})

/** A code that its owner has made and that can still be used. */
function openTransfer({ transfer: { openUntil } }: ServerRow, now: Date) {
  const expiresAt = new Date(openUntil ?? 0)
  return expiresAt > now ? { expiresAt } : null
}

const operatorFacts = (row: ServerRow) => ({
  vmId: row.vmId,
  cluster: { id: row.clusterId, name: row.clusterName },
  node: row.nodeName,
  client: row.owner && { id: row.owner.id, name: userName(row.owner) },
  // After a hand-over it is the order of its former client.
  orderId: row.order?.userId === row.ownerId ? row.order.id : null,
  notes: row.notes,
})

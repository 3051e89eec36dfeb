import type { z } from 'zod'
import type { Server } from '#shared/api/overview/servers.ts'
import { POWER_ACTS } from '#shared/rules/instance/instance-power.ts'
import { sizeFromName } from '#shared/rules/instance/instance-size.ts'
import { possibleActs, SERVER_ACTS } from '#shared/rules/instance/server-acts.ts'
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
import { DELIVERED, openPassword, type TokenRow } from '../../tokens/token-rows.ts'
import { trafficView } from '../../traffic/traffic-views.ts'
import type { HostKeyOfServer, ServerRow } from './server-row.ts'

export type ViewDeps = LiveDeps & { keyring: Keyring; config: { graceDays: number } }

/** The page of one server. The cluster's last answer is enough: no page waits for it (I1). */
export function serverView(row: ServerRow, actor: Actor, deps: ViewDeps): z.input<typeof Server> {
  const audience = isAdmin(actor) ? 'operator' : 'owner'
  const { token } = row
  const { isLoginPending, hasOpenRenewal, renewsItself, hasSnapshots, hasBackups, cd } =
    row.transfer
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
    sshKeys: row.keys,
    hostKeys: hostKeysOf(row.hostKeys, access.addresses[0]),
    term,
    durationDays: token?.durationDays ?? null,
    monthlyPrice: token && price,
    nextPackage: row.next && plannedView(row.next, price),
    paidUntil: token?.expiresAt ?? null,
    keptUntil: keptUntilOf(token, deps.config.graceDays),
    suspended: suspensionOf(row),
    jobs: row.jobs.map((job) => ({
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
        isReplacingLogin: row.jobs.some(
          ({ kind, state }) => kind === HANDOVER && UNFINISHED.includes(state),
        ),
        hasOpenRenewal,
        hasSnapshots,
        hasBackups,
        cd,
        renewsItself,
      }),
    ),
    isLoginPending,
    cd,
    traffic: trafficView({ ...row, term: token }, deps.clock.now()).traffic,
    daysWithoutBackup:
      term === 'assigned'
        ? withoutBackup(row.backed, token?.assignedAt ?? row.createdAt, deps.clock.now())
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
  const within = SERVER_ACTS.map((act) => {
    const duty = POWER_ACTS.some((power) => power === act) ? 'help' : 'run'
    return [act, hasDuty(role, duty) ? acts[act] : NOT_OURS] as const
  })
  return Object.fromEntries(within) as Acts
}

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
    : keys.map(({ publicKey, seenAt, lastSeenAt, changedAt, ...key }) => ({
        ...key,
        knownHosts: `${knownHostOf(address)} ${key.type} ${publicKey}`,
        seenAt: new Date(seenAt),
        lastSeenAt: new Date(lastSeenAt),
        changedAt: changedAt === null ? null : new Date(changedAt),
      }))

/** Its price is the token's already. */
export const plannedView = (next: NonNullable<ServerRow['next']>, price: string) => ({
  id: next.planId,
  name: next.planName,
  price,
  size: sizeFromName(next.serverName),
  from: next.dueAt,
})

/** Only a server that ended has a date until which it is kept. */
const keptUntilOf = (token: TokenRow | null, graceDays: number): Date | null =>
  token?.status === 'expired' || token?.status === 'cancelled'
    ? (keptUntil(token, graceDays) ?? null)
    : null

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
  orderId: row.order?.id ?? null,
  notes: row.notes,
})

import { sizeFromName } from '#shared/rules/instance/instance-size.ts'
import type { SoldConfig } from '../../hypervisor/port/snapshots.ts'
import { keysOn } from '../../inventory/vm/server-keys.ts'
import { vmName } from '../../inventory/vm/vm-name.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { openPassword } from '../../tokens/token-rows.ts'
import { limitWas, withLimit } from '../../traffic/server-rate.ts'
import type { Target } from '../hold/held-server.ts'
import { guestNetwork, hasAddress } from '../provision/guest-steps.ts'
import { loadProvisionState } from '../provision/provision-state.ts'
import { loginMark, type SnapshotRow } from './snapshot-rows.ts'

/** What is sold at this moment, and the limit of ours in it. */
export type Present = { sold: SoldConfig; limitMbit: number | null }

export async function readPresent(deps: JobDeps, target: Target): Promise<Present> {
  const { hypervisor, vm, instance } = target
  const read = () => hypervisor.soldConfig(vm)
  const { config: sold, limitMbit } = await withLimit(deps.db, instance.id, read)
  return { sold, limitMbit }
}

/**
 * What is sold, as it was a moment ago; then what our rows say. The login only if it is another one
 * than the snapshot's: setting it again makes cloud-init run again, with other host keys.
 */
export async function applyPresent(
  deps: JobDeps,
  { hypervisor, vm, instance, token }: Target,
  { sold, limitMbit, sizeGb }: Present & { sizeGb: number },
  system: Pick<SnapshotRow, 'username' | 'loginMark'>,
): Promise<void> {
  const { db, keyring } = deps
  await hypervisor.applySoldConfig(vm, sold)
  await limitWas(db, instance.id, limitMbit)
  const { username } = system
  const isSameLogin = (await loginMark(db, token, instance.id)) === system.loginMark
  const sshKeys = await keysOn(db, instance.id)
  const wayIn = sshKeys.length > 0 ? { sshKeys } : { password: openPassword(keyring, token) }
  const state = await loadProvisionState(db, token.id)
  await hypervisor.prepare(vm, {
    name: vmName(instance),
    marker: instance.marker,
    ...(hasAddress(token) ? { network: guestNetwork(state, instance.marker) } : {}),
    ...(isSameLogin ? {} : { user: { name: username, ...wayIn } }),
  })
  await hypervisor.resize(vm, Math.max(sizeFromName(token.name).diskGb, Math.ceil(sizeGb)))
}

import { AppError } from '#shared/errors.ts'
import { sizeFromName } from '#shared/rules/instance/instance-size.ts'
import { keysOn } from '../../inventory/vm/server-keys.ts'
import { vmName } from '../../inventory/vm/vm-name.ts'
import type { Step } from '../../jobs/job-definition.ts'
import { openUserData } from '../../orders/user-data.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { openPassword } from '../../tokens/token-rows.ts'
import type { Target } from '../hold/held-server.ts'
import type { Started } from '../proof/firmware-step.ts'
import { guestNetwork } from '../provision/guest-steps.ts'
import { loadProvisionState } from '../provision/provision-state.ts'
import type { SeedSource } from '../seed/seed-steps.ts'
import { required } from './disk-steps.ts'
import {
  type ReinstallContext,
  type ReinstallInput,
  type Remembered,
  targetOf,
  undoOn,
} from './reinstall-state.ts'

/** Name, address and login of the new system. */
async function newIdentity(
  { db, keyring }: JobDeps,
  { instance, token }: Target,
  { login }: Remembered,
) {
  if (!login) throw new AppError('INVALID_STATE', 'The login of the new system is not known.')
  const { username, sshKeys, password } = login
  const { marker } = instance
  const wayIn =
    password === null ? { sshKeys } : { password: openPassword(keyring, { ...token, password }) }
  return {
    name: vmName(instance),
    marker,
    network: guestNetwork(await loadProvisionState(db, token.id), marker),
    user: { name: username, ...wayIn },
  }
}

/** The client's user data, from the request. */
export const seedSource = (
  deps: JobDeps,
  remember: Step<ReinstallInput, Remembered>,
): SeedSource<ReinstallInput> => ({
  userData: async ({ input: { userData } }) => userData && openUserData(deps.keyring, userData),
  target: ({ input }) => targetOf(deps, input),
  setup: async ({ input, output }) =>
    await newIdentity(deps, await targetOf(deps, input), required(output(remember))),
})

/** The new system's identity; its disk is as large as the old one. */
export function configureStep(
  deps: JobDeps,
  remember: Step<ReinstallInput, Remembered>,
): Step<ReinstallInput> {
  const { db, keyring } = deps

  const run = async ({ input, output }: ReinstallContext) => {
    const target = await targetOf(deps, input)
    const { hypervisor, vm, token } = target
    const remembered = required(output(remember))
    const { sizeGb } = remembered
    await hypervisor.prepare(vm, await newIdentity(deps, target, remembered))
    const { diskGb } = sizeFromName(token.name)
    await hypervisor.resize(vm, Math.max(diskGb, Math.ceil(sizeGb)))
  }

  /** Without it the old system would get the new user at its next start. */
  const undo = (context: ReinstallContext) =>
    undoOn(deps, context, async ({ hypervisor, vm, instance, token }) => {
      const ostype = context.output(remember)?.system?.ostype
      // First: it decides how the password is stored.
      if (ostype !== undefined) await hypervisor.setConfig(vm, { ostype })
      const sshKeys = await keysOn(db, instance.id)
      const wayIn = sshKeys.length > 0 ? { sshKeys } : { password: openPassword(keyring, token) }
      await hypervisor.prepare(vm, {
        name: vmName(instance),
        marker: instance.marker,
        user: { name: token.username, ...wayIn },
      })
    })

  return { name: 'configure', run, undo }
}

export function startStep(deps: JobDeps): Step<ReinstallInput, Started> {
  return {
    name: 'start',
    run: async ({ input }: ReinstallContext) => {
      const { hypervisor, vm } = await targetOf(deps, input)
      await hypervisor.power(vm, 'start')
      return { at: deps.clock.now().toISOString() }
    },
    undo: (context: ReinstallContext) =>
      undoOn(deps, context, ({ hypervisor, vm }) => hypervisor.power(vm, 'stop')),
  }
}

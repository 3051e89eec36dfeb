import { AppError } from '#shared/errors.ts'
import { sizeFromName } from '#shared/rules/instance/instance-size.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { keysOn } from '../../inventory/vm/server-keys.ts'
import { vmName } from '../../inventory/vm/vm-name.ts'
import type { Step } from '../../jobs/job-definition.ts'
import { openUserData } from '../../orders/user-data.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { openPassword } from '../../tokens/token-rows.ts'
import type { Target } from '../hold/held-server.ts'
import { guestNetwork } from '../provision/guest-steps.ts'
import { loadProvisionState } from '../provision/provision-state.ts'
import { waitForAgent } from '../provision/wait-for-agent.ts'
import type { SeedSource } from '../seed/seed-steps.ts'
import { required } from './disk-steps.ts'
import {
  type ReinstallContext,
  type ReinstallInput,
  type Remembered,
  targetOf,
  undoOn,
} from './reinstall-state.ts'
import { watchSsh } from './watch-ssh.ts'

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
  // Its proof came first.
  isUp: () => true,
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

export type Started = { at: string }

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

/** How long the new system may take until it answers. */
const ANSWERS_MS = 10 * MINUTE_MS
/** How long one try waits; between two, other jobs have their turn. */
const LOOK_MS = 2 * MINUTE_MS

/** The new system answers: by its guest agent, or by SSH. */
export function proofStep(
  deps: JobDeps,
  start: Step<ReinstallInput, Started>,
): Step<ReinstallInput> {
  const { clock, log } = deps

  const run = async ({ input, output, progress }: ReinstallContext) => {
    const began = Date.parse(output(start)?.at ?? clock.now().toISOString())
    const isOver = () => clock.now().getTime() - began >= ANSWERS_MS
    const target = await targetOf(deps, input)
    const answers = proofsOf(target)
    const ask = async () => {
      await targetOf(deps, input)
      const by = await answers()
      if (by.length === 0 && isOver()) throw silent()
      return by
    }
    const by = await waitForAgent(ask, { progress, log, patienceMs: LOOK_MS })
    if (by.length > 0) return { by: by[0] }
    await targetOf(deps, input)
    if (isOver()) throw silent()
    throw new AppError('UNAVAILABLE', 'The new system does not answer yet.', {
      publicMessage: 'The new system does not answer yet.',
    })
  }

  return { name: 'proof', run }
}

const SILENT = 'The new system did not answer within 10 minutes.'
const silent = () => new AppError('INVALID_STATE', SILENT, { publicMessage: SILENT })

function proofsOf({ hypervisor, vm, instance, token }: Target) {
  const address = instance.ipAddress ?? token.ipAddress
  const hasSsh = address === null ? () => false : watchSsh(address)
  let mayAskAgent = true

  const agentAnswers = async (): Promise<boolean> => {
    try {
      return (await hypervisor.guestAddresses(vm, { asksAgain: true })).length > 0
    } catch (error) {
      // The account may not ask the agent.
      if (!(error instanceof AppError) || error.code !== 'INVALID_STATE') throw error
      mayAskAgent = false
      return false
    }
  }

  return async (): Promise<string[]> => {
    if (mayAskAgent && (await agentAnswers())) return ['agent']
    return hasSsh() ? ['ssh'] : []
  }
}

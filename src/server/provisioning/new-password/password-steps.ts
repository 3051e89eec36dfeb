import { eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import { lookAgain } from '../../host-keys/host-key-rows.ts'
import { settingsOf } from '../../inventory/clusters/cluster-store.ts'
import { vmName } from '../../inventory/vm/vm-name.ts'
import type { Step } from '../../jobs/job-definition.ts'
import { randomPassword } from '../../lib/random.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { storePassword } from '../../tokens/fresh-password.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { openPassword, sealPassword } from '../../tokens/token-rows.ts'
import type { Target } from '../hold/held-server.ts'
import { forgetLogin, REMEMBER, storedLogin, type WithLogin } from '../hold/stored-login.ts'
import { hold, type PasswordContext, type PasswordInput } from './password-state.ts'

/** Stores the new password before anything is changed: a repeated step sets the same one again. */
export function rememberStep(deps: JobDeps): Step<PasswordInput, WithLogin> {
  const { keyring, random } = deps
  const run = async ({ input }: PasswordContext): Promise<WithLogin> => {
    const { token } = await hold.targetOf(deps, input)
    const password = sealPassword(keyring, token.tokenId, randomPassword(random))
    return { login: { username: token.username, sshKeys: [], password } }
  }
  return { name: REMEMBER, run }
}

/** How long the guest had been running by then: less, later on, means that it was restarted. */
export type Configured = { uptime: number }

/** Cloud-init gives the guest this password when it starts the next time. */
export function configureStep(
  deps: JobDeps,
  remember: Step<PasswordInput, WithLogin>,
): Step<PasswordInput, Configured> {
  const give = ({ hypervisor, vm, instance, token }: Target, password: string) =>
    hypervisor.prepare(vm, {
      name: vmName(instance),
      marker: instance.marker,
      user: { name: token.username, password },
    })

  const run = async ({ input, output }: PasswordContext): Promise<Configured> => {
    const target = await hold.targetOf(deps, input)
    await give(target, newPassword(deps, target, output(remember)))
    const { uptime } = await target.hypervisor.vm(target.vm)
    return { uptime }
  }

  /** Without it the guest would get, at its next start, a password that its owner is not shown. */
  const undo = (context: PasswordContext) =>
    hold.undoOn(deps, context, (target) => give(target, openPassword(deps.keyring, target.token)))

  return { name: 'configure', run, undo }
}

function newPassword({ keyring }: JobDeps, { token }: Target, remembered: WithLogin | undefined) {
  const password = remembered?.login?.password
  if (typeof password === 'string') return openPassword(keyring, { ...token, password })
  throw new AppError('INVALID_STATE', 'The new password is not known.')
}

/** How the guest got it. A server that is off takes it at its next start. */
export type Applied = { by: 'agent' | 'next-start' | 'restart' }

/** By the guest agent only where the operator opted in for this cluster: it is root in every guest. */
export function applyStep(
  deps: JobDeps,
  before: {
    remember: Step<PasswordInput, WithLogin>
    configure: Step<PasswordInput, Configured>
  },
): Step<PasswordInput, Applied> {
  const { db, log } = deps

  const byAgent = async (target: Target, password: string): Promise<boolean> => {
    const { hypervisor, vm, instance, token } = target
    if (!(await allowsAgent(db, instance.clusterId))) return false
    try {
      await hypervisor.setGuestPassword(vm, { name: token.username, password })
      return true
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'CLUSTER_UNAVAILABLE') throw error
      log.info({ err: error, vmId: vm.vmId }, 'the guest agent set no password: restarting instead')
      return false
    }
  }

  const run = async ({ input, output }: PasswordContext): Promise<Applied> => {
    const target = await hold.targetOf(deps, input)
    const { hypervisor, vm } = target
    const { state, uptime } = await hypervisor.vm(vm)
    if (state === 'stopped') return { by: 'next-start' }
    if (await byAgent(target, newPassword(deps, target, output(before.remember)))) {
      return { by: 'agent' }
    }
    // Restarted since: by an earlier run of this step, or in Proxmox itself.
    if (uptime < (output(before.configure)?.uptime ?? 0)) return { by: 'restart' }
    return { by: await restart(target) }
  }

  return { name: 'apply', run }
}

async function allowsAgent(db: Db, clusterId: number): Promise<boolean> {
  const [row] = await db
    .select({ settings: clusters.settings })
    .from(clusters)
    .where(eq(clusters.id, clusterId))
  return row !== undefined && settingsOf(row).guestAgent
}

async function restart({ hypervisor, vm }: Target): Promise<Applied['by']> {
  try {
    await hypervisor.power(vm, 'restart')
    return 'restart'
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'INVALID_STATE') throw error
    // It was switched off from the inside at this moment.
    if ((await hypervisor.vm(vm)).state === 'stopped') return 'next-start'
    throw new AppError('INVALID_STATE', DEAF, { cause: error, publicMessage: DEAF })
  }
}

const DEAF = 'The system did not react to the restart. Stop the server, then try again.'

/** From here on the new password is the one that is shown. */
export function commitStep(
  deps: JobDeps,
  apply: Step<PasswordInput, Applied>,
): Step<PasswordInput> {
  const { db, clock, events, audit, keyring } = deps

  const run = ({ jobId, input, output }: PasswordContext) =>
    db.transaction(async (tx) => {
      const login = await storedLogin(tx, jobId)
      // Forgotten together with the rest, by an earlier run.
      if (!login) return
      const { token, instance } = hold.requireWanted(await hold.lockHeld(tx, input))
      const by = output(apply)?.by ?? 'restart'
      const password = openPassword(keyring, { ...token, password: login.password ?? '' })
      await storePassword(tx, token, password, keyring)
      // With another password cloud-init also makes other host keys.
      if (by === 'restart') await lookAgain(tx, instance.id)
      await tx
        .update(instances)
        .set({
          status: by === 'next-start' ? 'stopped' : 'running',
          powerFailure: null,
          lastUpdated: clock.now(),
        })
        .where(eq(instances.id, instance.id))
      await forgetLogin(tx, jobId)
      await publishTokenChange(tx, events, instance.ownerId)
      await audit.record(tx, undefined, {
        action: 'instance.password-set',
        target: `instance:${instance.id}`,
        details: { by },
      })
    })

  return { name: 'commit', run }
}

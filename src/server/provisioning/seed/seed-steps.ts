import { AppError } from '#shared/errors.ts'
import type { GuestSetup, Hypervisor, VmAddress } from '../../hypervisor/port/hypervisor.ts'
import type { InstanceRow } from '../../inventory/vm/instance-row.ts'
import type { Step, StepContext } from '../../jobs/job-definition.ts'
import { randomId } from '../../lib/random.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { forgetSeed, PLAN, type Plan, withdraw } from './planned-seed.ts'

/** How a job finds the client's text and the VM it is for. */
export type SeedSource<I> = {
  /** Undefined if there is none, and once it is erased. */
  userData(context: StepContext<I>): Promise<string | undefined>
  target(
    context: StepContext<I>,
  ): Promise<{ hypervisor: Hypervisor; vm: VmAddress; instance: InstanceRow }>
  /** The same as the VM was prepared with. */
  setup(context: StepContext<I>): Promise<GuestSetup>
}

/** Three steps of any job that starts a new system. Without user data they do nothing. */
export function seedSteps<I>(deps: JobDeps, source: SeedSource<I>) {
  const { db, random, log } = deps

  /** Chooses where the image will be, and a name that cannot be guessed: it holds secrets. */
  const plan: Step<I, Plan> = {
    name: PLAN,
    run: async (context) => {
      if ((await source.userData(context)) === undefined) return {}
      const { hypervisor, vm, instance } = await source.target(context)
      const { node, storage } = await hypervisor.seedStore(vm)
      const volume = `${storage}:iso/hushbox-${instance.id}-${randomId(random)}.iso`
      const { id: instanceId, clusterId } = instance
      return { planned: { seed: { node, volume }, clusterId, instanceId } }
    },
  }

  const insert: Step<I> = {
    name: 'seed',
    run: async (context) => {
      const planned = context.output(plan)?.planned
      const userData = await source.userData(context)
      if (!planned || userData === undefined) return
      const { hypervisor, vm } = await source.target(context)
      await hypervisor.insertSeed(vm, planned.seed, {
        setup: await source.setup(context),
        userData,
      })
    },
    undo: async (context) => {
      const planned = context.output(plan)?.planned
      if (!planned) return
      await withdraw(deps, planned)
      await forgetSeed(db, context.jobId)
    },
  }

  /** After the proof of life: by then the guest has read it. One failure here ruins no server. */
  const remove: Step<I> = {
    name: 'unseed',
    run: async (context) => {
      const planned = context.output(plan)?.planned
      if (!planned) return
      try {
        await withdraw(deps, planned)
        await forgetSeed(db, context.jobId)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        log.warn({ err: error, instanceId: planned.instanceId }, 'an image is left for the sweep')
      }
    },
  }

  return { plan, insert, remove }
}

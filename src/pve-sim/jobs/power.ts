import type { Context } from '../context/context.ts'
import { bootLeft, defaultUser, isBooting } from '../guest/guest.ts'
import { stopVm } from '../state/cluster-state.ts'
import type { Vm } from '../state/types.ts'
import { KILLED, type Work } from '../tasks/task-runner.ts'
import { applyPending } from '../vm/apply-changes.ts'
import { cardFailure } from '../vm/bridges.ts'
import { drives, findVolume, isCloudinit, ownDrives } from '../vm/disks.ts'
import { agentEnabled, requireUnlocked } from '../vm/vm-config.ts'
import { type JobsOf, jobVm, noProcess, numberArg } from './shared.ts'

const HOST = 'root@pam'

/** The CD images in its drives; a missing one keeps the VM from starting. */
function insertedImages(sim: Context, vm: Vm) {
  const inserted = drives(vm.config).filter(({ volid }) => /:iso\//.test(volid))
  return inserted.map(({ volid }) => {
    const volume = findVolume(sim.state, volid, vm.node)
    if (!volume) throw new Error(`volume '${volid}' does not exist`)
    return volume
  })
}

const isSeed = (data: string) => Buffer.from(data, 'base64').includes('cidata')

/** Changed settings give the guest a new instance id, which sets the password again. */
function runCloudinit(sim: Context, vm: Vm): void {
  const seed = insertedImages(sim, vm).find(({ data = '' }) => isSeed(data))
  if (seed?.data !== undefined) vm.guest.seed = seed.data
  const next = { user: defaultUser(vm), password: vm.guest.password }
  const { user, password } = vm.guest.booted
  if (next.user !== user || next.password !== password) vm.guest.passwords = {}
  vm.guest.booted = next
}

/** Starts the process. A hibernated VM continues where it was and keeps its pending changes. */
function bootVm(sim: Context, vm: Vm): void {
  if (vm.config.lock === 'suspended') {
    delete vm.config.lock
    delete vm.config.vmstate
  } else {
    applyPending(sim.state, vm)
    runCloudinit(sim, vm)
  }
  vm.qmp = 'running'
  vm.pid = sim.state.nextPid++
  vm.startedAt = sim.now()
}

/** A worker that stops a VM applies what waited for that; a guest that goes by itself leaves it. */
function switchOff(sim: Context, vm: Vm): void {
  stopVm(vm, sim.now())
  applyPending(sim.state, vm)
}

/** QEMU exits when the script that plugs in its cards fails; the reason is only in the log. */
function plugCards(sim: Context, work: Work, vm: Vm): void {
  const node = sim.state.nodes.get(vm.node)
  const failure = node && cardFailure(node, vm)
  if (failure === undefined) return
  work.log(failure)
  throw new Error('start failed: QEMU exited with code 1')
}

async function start(sim: Context, work: Work, vm: Vm): Promise<void> {
  await sim.locks.vm(work, vm.vmid, async () => {
    if (vm.config.template === '1') throw new Error("you can't start a vm if it's a template")
    if (vm.config.lock !== 'suspended') requireUnlocked(vm)
    if (vm.qmp !== 'stopped') throw new Error(`VM ${vm.vmid} already running`)
    if (vm.config.lock === 'suspended') work.log('Resuming suspended VM')
    if (ownDrives(vm.config).some((drive) => isCloudinit(drive.volid))) {
      work.log('generating cloud-init ISO')
    }
    await work.wait(sim.taskMs)
    insertedImages(sim, vm)
    bootVm(sim, vm)
    try {
      plugCards(sim, work, vm)
      await sim.processes.start(vm)
    } catch (error) {
      stopVm(vm, sim.now())
      throw error
    }
  })
}

/** How long PVE waits for a guest after a shutdown request, and its message on timeout. */
function shutdownTimeout(sim: Context, vm: Vm, args: Record<string, unknown>) {
  const down = /(?:^|,)down=(\d+)/.exec(vm.config.startup ?? '')?.[1]
  const given = args.timeout === undefined ? down : String(numberArg(args, 'timeout'))
  // The agent's command has a timeout of ten minutes, the power button one of one minute.
  return isAgentUp(sim, vm)
    ? { seconds: Number(given ?? 600), failure: 'VM quit/powerdown failed' }
    : { seconds: Number(given ?? 60), failure: 'VM quit/powerdown failed - got timeout' }
}

const isAgentUp = (sim: Context, vm: Vm) =>
  agentEnabled(vm.config) && vm.guest.agent !== 'none' && !isBooting(sim, vm)

/** A guest that does not react keeps PVE waiting, and the VM's lock held, until the timeout. */
async function waitForTimeout(sim: Context, work: Work, vm: Vm, args: Record<string, unknown>) {
  const { seconds, failure } = shutdownTimeout(sim, vm, args)
  const byAgent = isAgentUp(sim, vm)
  try {
    await work.wait(sim.seconds(seconds))
  } catch (error) {
    // A worker interrupted while it waits for the agent reports that as the agent's failure.
    throw byAgent && !wasKilled(error) ? new Error(failure) : error
  }
  if (args.forceStop !== true) throw new Error(failure)
  work.log(
    byAgent
      ? 'VM quit/powerdown failed - terminating now with SIGTERM'
      : 'VM still running - terminating now with SIGTERM',
  )
  await sim.processes.stop(vm)
}

/**
 * The guest shuts down after its own delay, which starts when it is up, or ignores the request
 * until PVE gives up.
 */
async function shutDown(sim: Context, work: Work, vm: Vm, args: Record<string, unknown>) {
  const boot = Math.max(0, bootLeft(sim, vm))
  const tooLate = boot > sim.seconds(shutdownTimeout(sim, vm, args).seconds)
  if (vm.guest.hangs || tooLate || (vm.guest.ignoresAcpi && !isAgentUp(sim, vm))) {
    await waitForTimeout(sim, work, vm, args)
  } else {
    await work.wait(boot + sim.taskMs * 2)
    await sim.processes.shutDown(vm)
  }
  switchOff(sim, vm)
}

/** Ends the shutdowns of a VM that still wait, to release its lock. */
async function overruleShutdowns(sim: Context, work: Work, vmid: number): Promise<void> {
  const waiting = [...sim.state.tasks.values()].filter(
    (task) => task.type === 'qmshutdown' && task.id === String(vmid) && task.exitstatus === null,
  )
  if (waiting.length === 0) return
  for (const { upid } of waiting) sim.tasks.stop(upid)
  await Promise.all(waiting.map(({ upid }) => sim.tasks.ended(upid)))
  work.log(`overruled qmshutdown tasks: ${waiting.map(({ upid }) => upid).join(', ')}`)
}

const wasKilled = (error: unknown): boolean => error instanceof Error && error.message === KILLED

/**
 * qmeventd notices that the guest exited and, if a reboot was requested, starts it in another task.
 */
function restartRequested(sim: Context, vm: Vm): void {
  if (!vm.rebootRequested) return
  vm.rebootRequested = false
  sim.timers.later(sim.taskMs / 4, () => {
    if (vm.qmp !== 'stopped' || !sim.state.vms.has(vm.vmid)) return
    const job = { name: 'qmstart', args: { vmid: vm.vmid } }
    sim.tasks.start({ node: vm.node, type: 'qmstart', id: String(vm.vmid), authid: HOST, job })
  })
}

/** The HA manager carries out a request some seconds after it was made. */
function requestFromHa(sim: Context, vm: Vm, name: 'qmstart' | 'qmstop' | 'qmshutdown'): void {
  sim.timers.later(sim.taskMs, () => {
    if (!sim.state.vms.has(vm.vmid)) return
    if ((name === 'qmstart') === (vm.qmp !== 'stopped')) return
    const job = { name, args: { vmid: vm.vmid } }
    sim.tasks.start({ node: vm.node, type: name, id: String(vm.vmid), authid: HOST, job })
  })
}

async function suspend(sim: Context, work: Work, vm: Vm, todisk: boolean): Promise<void> {
  if (!todisk) {
    await work.wait(sim.taskMs / 4)
    await sim.processes.pause(vm)
    vm.qmp = 'paused'
    return
  }
  vm.config.lock = 'suspending'
  try {
    await work.wait(sim.taskMs * 2)
  } catch (error) {
    delete vm.config.lock
    throw error
  }
  vm.config.lock = 'suspended'
  const disk = ownDrives(vm.config)[0]
  vm.config.vmstate = `${disk?.storage ?? 'local'}:vm-${vm.vmid}-state-suspend`
  await sim.processes.stop(vm)
  stopVm(vm, sim.now())
}

async function resume(sim: Context, work: Work, vm: Vm): Promise<void> {
  if (vm.config.lock === 'suspended') return start(sim, work, vm)
  await work.wait(sim.taskMs / 4)
  await sim.processes.resume(vm)
  vm.qmp = 'running'
}

export const powerJobs: JobsOf = (sim) => ({
  qmstart: (work, args) => start(sim, work, jobVm(sim, args, work.task.node)),
  qmstop: async (work, args) => {
    if (args.overrule === true) await overruleShutdowns(sim, work, numberArg(args, 'vmid'))
    const vm = jobVm(sim, args, work.task.node, noProcess)
    return sim.locks.vm(work, vm.vmid, async () => {
      if (vm.qmp === 'stopped') return
      if (vm.config.lock !== 'suspended') requireUnlocked(vm)
      await work.wait(sim.taskMs / 2)
      await sim.processes.stop(vm)
      switchOff(sim, vm)
      restartRequested(sim, vm)
    })
  },
  qmshutdown: (work, args) => {
    const vm = jobVm(sim, args, work.task.node, noProcess)
    return sim.locks.vm(work, vm.vmid, async () => {
      requireUnlocked(vm)
      if (vm.qmp !== 'stopped') await shutDown(sim, work, vm, args)
      restartRequested(sim, vm)
    })
  },
  qmreboot: (work, args) => {
    const vm = jobVm(sim, args, work.task.node)
    work.log(`requesting reboot of VM ${vm.vmid}: ${work.task.upid}`)
    return sim.locks.vm(work, vm.vmid, async () => {
      requireUnlocked(vm)
      vm.rebootRequested = true
      try {
        if (vm.qmp !== 'stopped') await shutDown(sim, work, vm, args)
      } catch (error) {
        // A killed worker cannot withdraw its request: the next stop counts as the reboot.
        if (!wasKilled(error)) vm.rebootRequested = false
        throw error
      }
      restartRequested(sim, vm)
    })
  },
  qmreset: async (work, args) => {
    const vm = jobVm(sim, args, work.task.node)
    await work.wait(sim.taskMs / 4)
    // The process stays, so uptime continues; only the guest boots again.
    vm.resetAt = sim.now()
    sim.consoles.reset(vm.vmid)
    await sim.processes.reset(vm)
  },
  qmsuspend: (work, args) => {
    const vm = jobVm(sim, args, work.task.node)
    return sim.locks.vm(work, vm.vmid, () => suspend(sim, work, vm, args.todisk === true))
  },
  qmresume: (work, args) => resume(sim, work, jobVm(sim, args, work.task.node)),
  hastart: async (work, args) => {
    const vm = jobVm(sim, args, work.task.node)
    work.log(`Requesting HA start for VM ${vm.vmid}`)
    await work.wait(sim.taskMs / 4)
    if (vm.ha) vm.ha.state = 'started'
    requestFromHa(sim, vm, 'qmstart')
  },
  hastop: async (work, args) => {
    const vm = jobVm(sim, args, work.task.node)
    work.log(`Requesting HA stop for VM ${vm.vmid}`)
    await work.wait(sim.taskMs / 4)
    if (vm.ha) vm.ha.state = 'stopped'
    requestFromHa(sim, vm, args.hard === true ? 'qmstop' : 'qmshutdown')
  },
})

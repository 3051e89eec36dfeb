import type { CircuitBreaker } from './circuit-breaker.ts'
import type { Hypervisor } from './hypervisor.ts'
import { toAppError } from './hypervisor-errors.ts'

/**
 * Runs every call through the breaker and converts every failure. The inventory poll goes through
 * even when the breaker is open: it detects that the cluster is back.
 */
export function guarded(acts: Hypervisor, breaker: CircuitBreaker): Hypervisor {
  const through =
    <Args extends unknown[], Result>(
      act: (...args: Args) => Promise<Result>,
      options?: { isProbe: boolean },
    ) =>
    async (...args: Args): Promise<Result> => {
      try {
        return await breaker.run(() => act(...args), options)
      } catch (error) {
        throw toAppError(error)
      }
    }

  return {
    listInventory: through(acts.listInventory, { isProbe: true }),
    vm: through(acts.vm),
    power: through(acts.power),
    config: through(acts.config),
    rawConfig: through(acts.rawConfig),
    setConfig: through(acts.setConfig),
    clone: through(acts.clone),
    prepare: through(acts.prepare),
    resize: through(acts.resize),
    bootDisk: through(acts.bootDisk),
    replaceDisk: through(acts.replaceDisk),
    restoreDisk: through(acts.restoreDisk),
    dropReplacedDisks: through(acts.dropReplacedDisks),
    seedStore: through(acts.seedStore),
    insertSeed: through(acts.insertSeed),
    withdrawSeed: through(acts.withdrawSeed),
    destroy: through(acts.destroy),
    openConsole: through(acts.openConsole),
    lookAtScreen: through(acts.lookAtScreen),
    consoleTicket: through(acts.consoleTicket),
    guestAddresses: through(acts.guestAddresses),
    setGuestPassword: through(acts.setGuestPassword),
    metrics: through(acts.metrics),
    nodeMetrics: through(acts.nodeMetrics),
    tasks: through(acts.tasks),
    waitForTask: through(acts.waitForTask),
    diagnose: through(acts.diagnose, { isProbe: true }),
    freeVmId: through(acts.freeVmId),
    isGone: through(acts.isGone),
    facts: through(acts.facts),
    findOtherHosts: through(acts.findOtherHosts),
    ownAddresses: through(acts.ownAddresses),
    traits: through(acts.traits),
    isSame: through(acts.isSame),
    close: acts.close,
  }
}

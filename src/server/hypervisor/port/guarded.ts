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
    setFirewall: through(acts.setFirewall),
    firewallFaults: through(acts.firewallFaults),
    prepare: through(acts.prepare),
    setRate: through(acts.setRate),
    resize: through(acts.resize),
    bootDisk: through(acts.bootDisk),
    replaceDisk: through(acts.replaceDisk),
    restoreDisk: through(acts.restoreDisk),
    dropReplacedDisks: through(acts.dropReplacedDisks),
    snapshots: through(acts.snapshots),
    takeSnapshot: through(acts.takeSnapshot),
    deleteSnapshot: through(acts.deleteSnapshot),
    rollBackTo: through(acts.rollBackTo),
    soldConfig: through(acts.soldConfig),
    applySoldConfig: through(acts.applySoldConfig),
    dropSpareDisk: through(acts.dropSpareDisk),
    backupStorages: through(acts.backupStorages),
    nodeOf: through(acts.nodeOf),
    archives: through(acts.archives),
    takeBackup: through(acts.takeBackup),
    deleteBackup: through(acts.deleteBackup),
    deleteArchive: through(acts.deleteArchive),
    protectBackup: through(acts.protectBackup),
    restoreBackup: through(acts.restoreBackup),
    archivedDisk: through(acts.archivedDisk),
    takeBackEmptied: through(acts.takeBackEmptied),
    planCd: through(acts.planCd),
    insertCd: through(acts.insertCd),
    bootAsBefore: through(acts.bootAsBefore),
    ejectCd: through(acts.ejectCd),
    isos: through(acts.isos),
    ownIsoStore: through(acts.ownIsoStore),
    downloadIso: through(acts.downloadIso),
    removeIso: through(acts.removeIso),
    archivesOnCluster: through(acts.archivesOnCluster),
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

import { type Failure, isProxmoxError } from '#proxmox/wire/errors.ts'

/** Of so many changes at once to one VM, the last is still carried out. */
const TRIES = 5

/**
 * Reads a configuration and changes it, again if another change was quicker: the job that switches
 * an ended server off must not fail because a rename came at the same moment. Do not use it where a
 * person decided by the configuration that a page showed: that change must be refused.
 */
export async function onLatestConfig<T>(readAndChange: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await readAndChange()
    } catch (error) {
      const wasLate = isProxmoxError(error) && isChangedMeanwhile(error.failure)
      if (!wasLate || tries === TRIES) throw error
    }
  }
}

const isChangedMeanwhile = (failure: Failure): boolean =>
  failure.kind === 'task-failed'
    ? isChangedMeanwhile(failure.because)
    : failure.kind === 'changed-meanwhile'

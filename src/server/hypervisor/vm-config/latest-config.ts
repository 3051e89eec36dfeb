import { type Failure, isProxmoxError } from '#proxmox/wire/errors.ts'

/** Of so many changes at once to one VM, the last is still carried out. */
const TRIES = 5

/**
 * Reads a configuration and changes it, again if another change was quicker: a server that must be
 * off stays off, whoever configures it at the same moment. Not for a change that a person based on
 * what a page showed.
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

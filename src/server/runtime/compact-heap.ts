/**
 * Gives back what the start needed and the idle server does not: a tenth of its memory, for a pause
 * of 0.2 to 0.3 s on a busy machine. Needs `--expose-gc`, which `npm start` sets.
 */
export function compactHeap(): void {
  globalThis.gc?.({ execution: 'sync', type: 'major', flavor: 'last-resort' })
}

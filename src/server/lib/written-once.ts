const fixed = new WeakSet<object>()

/** Declares that a value never changes again, so that its JSON text may be kept. */
export function writtenOnce<T extends object>(value: T): Readonly<T> {
  fixed.add(value)
  return Object.freeze(value)
}

export const isWrittenOnce = (value: object): boolean => fixed.has(value)

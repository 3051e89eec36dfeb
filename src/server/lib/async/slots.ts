export type Slots = ReturnType<typeof createSlots>

/**
 * Limits concurrent uses per user. Checked and taken in one synchronous step, so that no concurrent
 * caller slips in between.
 */
export function createSlots(most: number) {
  const taken = new Map<number, number>()
  return {
    /** Returns a function that releases the slot once; undefined if none is left. */
    take(userId: number): (() => void) | undefined {
      const count = taken.get(userId) ?? 0
      if (count >= most) return undefined
      taken.set(userId, count + 1)
      let isReleased = false
      return () => {
        if (isReleased) return
        isReleased = true
        const left = (taken.get(userId) ?? 1) - 1
        if (left > 0) taken.set(userId, left)
        else taken.delete(userId)
      }
    },
    /** How many slots are taken by all users together. */
    get size(): number {
      let sum = 0
      for (const count of taken.values()) sum += count
      return sum
    },
  }
}

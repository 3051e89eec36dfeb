import { setImmediate as endOfTurn } from 'node:timers/promises'

/**
 * Batches the calls of one turn of the event loop: concurrent callers cost one query, and a single
 * caller waits no longer than without.
 */
export function batched<Key, Found>(
  ask: (keys: Key[]) => Promise<Map<Key, Found>>,
): (key: Key) => Promise<Found | undefined> {
  let waiting: { keys: Key[]; answer: Promise<Map<Key, Found>> } | undefined

  return async (key) => {
    waiting ??= gather()
    waiting.keys.push(key)
    return (await waiting.answer).get(key)
  }

  function gather() {
    const keys: Key[] = []
    const answer = endOfTurn().then(() => {
      waiting = undefined
      return ask(keys)
    })
    return { keys, answer }
  }
}

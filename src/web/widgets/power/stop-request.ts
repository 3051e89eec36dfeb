import type { Audience } from './power-words.ts'
import type { Powered } from './powered.ts'

/** The server that a hard stop was requested for. */
export type StopRequest = { instance: Powered; audience: Audience }

let request: StopRequest | undefined
const listeners = new Set<() => void>()

const set = (next: StopRequest | undefined) => {
  request = next
  for (const listener of listeners) listener()
}

/**
 * Every hard stop goes through here: one dialog beside the page asks, so that it survives a row
 * that scrolls away or a palette that closes.
 */
export const askToStop = (instance: Powered, audience: Audience) => set({ instance, audience })

export const endStopRequest = () => set(undefined)

export const currentStopRequest = () => request

export function subscribeToStopRequest(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

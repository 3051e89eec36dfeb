import type { Clock } from '#proxmox/transport/clock.ts'
import { limiter } from '#proxmox/transport/limiter.ts'

/**
 * Asking the agent of a booting guest takes 3 s and one of its node's three workers (facts-3 §6).
 * So one call per node at a time, and a pause after an unanswered one.
 */
const AGENT_PAUSE_MS = 4_000
/** A caller that asks less often than this has given up its turn. */
const WAITS_MS = 5_000

type Node = { restUntil: number; isAsked: boolean; waiting: Map<number, number> }

/**
 * Monotonic time: a clock that is set back, or stands still in a test, must not stretch a pause.
 */
const ELAPSED = { now: () => performance.now() }

export function agentTurns(pauseMs = AGENT_PAUSE_MS, clock: Pick<Clock, 'now'> = ELAPSED) {
  const nodes = new Map<string, Node>()
  const places = limiter(1)

  const nodeOf = (name: string): Node => {
    const node = nodes.get(name) ?? { restUntil: 0, isAsked: false, waiting: new Map() }
    nodes.set(name, node)
    return node
  }

  /** In order of arrival, without the guests whose callers no longer ask. */
  const isNext = ({ waiting }: Node, vmId: number): boolean => {
    for (const [waits, at] of waiting) {
      if (waits === vmId) return true
      if (clock.now() - at <= WAITS_MS) return false
      waiting.delete(waits)
    }
    return true
  }

  return {
    /**
     * The agent's answer; undefined if it does not answer or it is not this guest's turn. Only a
     * caller that asks again until then takes a place in the queue. `ask` returns undefined for a
     * guest that does not answer yet.
     */
    async look<T>(
      place: { node: string; vmid: number; asksAgain: boolean },
      ask: () => Promise<T | undefined>,
    ): Promise<T | undefined> {
      const node = nodeOf(place.node)
      if (node.isAsked || clock.now() < node.restUntil || !isNext(node, place.vmid)) {
        if (place.asksAgain) node.waiting.set(place.vmid, clock.now())
        return undefined
      }
      node.waiting.delete(place.vmid)
      node.isAsked = true
      const leave = await places.acquire(place.node, new AbortController().signal)
      try {
        const said = await ask()
        node.restUntil = said === undefined ? clock.now() + pauseMs : 0
        return said
      } catch (error) {
        node.restUntil = clock.now() + pauseMs
        throw error
      } finally {
        leave()
        node.isAsked = false
      }
    },
    /** For calls that must be made: waits for its turn. */
    async act<T>(place: { node: string }, work: () => Promise<T>): Promise<T> {
      const leave = await places.acquire(place.node, new AbortController().signal)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}

export type AgentTurns = ReturnType<typeof agentTurns>

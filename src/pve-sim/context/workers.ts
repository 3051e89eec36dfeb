/** pvedaemon answers with three processes on each node; further calls wait for a free one. */
const WORKERS = 3

/** Calls that pveproxy hands to pvedaemon ("protected"): every write and the slow reads. */
const PROTECTED_READ =
  /^\/nodes\/[^/]+\/(qemu|qemu\/\d+\/(status\/current|agent\/.*|rrddata|snapshot|feature)|storage.*|tasks\/[^/]+\/(log|status))$/

/** The node whose pvedaemon a call occupies; undefined where pveproxy answers itself. */
export function daemonOf(method: string, path: string): string | undefined {
  const node = /^\/nodes\/([^/]+)\//.exec(path)?.[1]
  return method !== 'GET' || PROTECTED_READ.test(path) ? node : undefined
}

export type Workers = ReturnType<typeof workers>

/** The worker processes of every node. A slow call occupies one of them until it is answered. */
export function workers() {
  const busy = new Map<string, number>()
  const queues = new Map<string, (() => void)[]>()

  function take(node: string): Promise<void> | undefined {
    const taken = busy.get(node) ?? 0
    if (taken < WORKERS) {
      busy.set(node, taken + 1)
      return undefined
    }
    const queue = queues.get(node) ?? []
    queues.set(node, queue)
    return new Promise((resolve) => queue.push(resolve))
  }

  function release(node: string): void {
    const next = queues.get(node)?.shift()
    // The slot passes straight to the first call in the queue, so the count does not change.
    if (next) next()
    else busy.set(node, (busy.get(node) ?? 1) - 1)
  }

  return {
    /** Runs a call in a worker of the node as soon as one is free. */
    async run<T>(node: string | undefined, act: () => T | Promise<T>): Promise<T> {
      if (node === undefined) return act()
      await take(node)
      try {
        return await act()
      } finally {
        release(node)
      }
    },
  }
}

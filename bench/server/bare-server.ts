import { fork } from 'node:child_process'
import { once } from 'node:events'

/** The bare baseline in a process of its own, on the same database. */
export async function bareServer(url: string) {
  const process = fork(new URL('bare-list.ts', import.meta.url), [url])
  const [address] = await once(process, 'message')
  return {
    address: String(address),
    async close() {
      process.disconnect()
      await once(process, 'exit')
    },
  }
}

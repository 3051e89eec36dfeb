import { randomUUID } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import type { Reach } from '../lib/net/guarded-call.ts'
import { signedHeaders } from '../lib/net/standard-webhook.ts'
import { callDnsServer } from './call-dns-server.ts'
import { away, type DnsServer, rejected } from './dns-server.ts'

/** For any other DNS server: a signed call for each name, answered with 2xx when it is in force. */
export function webhook(
  { url, key, clock }: { url: string; key: string; clock: Clock },
  reach: Reach,
): DnsServer {
  const post = async (content: object): Promise<void> => {
    const body = JSON.stringify(content)
    const id = randomUUID()
    const { status } = await callDnsServer(
      {
        method: 'POST',
        url,
        headers: signedHeaders({ id, at: clock.now(), body }, [key]),
        body,
      },
      reach,
    )
    if (status >= 200 && status < 300) return
    if (status === 401 || status === 403) throw away('The webhook does not accept our signature.')
    const isTheirs = status >= 400 && status < 500 && status !== 404 && status !== 429
    const message = `The webhook answered ${status}.`
    throw isTheirs ? rejected(message) : away(message)
  }

  return {
    tell: ({ name, address, hostname }) => post({ type: 'reverse-dns', address, hostname, name }),
    async check() {
      await post({ type: 'test' })
      return 'The webhook answers, and accepts our signature.'
    },
  }
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

export const RECORDINGS = join(import.meta.dirname, 'recordings.json')

const Recordings = z.object({
  /** Whose answers they are. */
  of: z.string(),
  exchanges: z.array(
    z.object({ what: z.string(), method: z.string(), params: z.unknown(), answer: z.unknown() }),
  ),
})

/** What Debian's monero-wallet-rpc answered when it was recorded. */
export const recorded = () => Recordings.parse(JSON.parse(readFileSync(RECORDINGS, 'utf8')))

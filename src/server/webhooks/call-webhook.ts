import type { Clock } from '../lib/clock.ts'
import { CallError, guardedCall, type Reach } from '../lib/net/guarded-call.ts'
import { signedHeaders } from '../lib/net/standard-webhook.ts'
import { type Content, validSecrets } from './webhook-store.ts'

/** As much of an answer as the log shows. */
const ANSWER_BYTES = 500

export type Outcome = {
  isTaken: boolean
  /** Undefined without an answer. */
  status: number | undefined
  answer: string
}

/** One signed call. Whatever is answered, and however slowly, it has an outcome. */
export async function callWebhook(
  content: Content,
  { messageId, body }: { messageId: string; body: string },
  { clock, reach }: { clock: Clock; reach: Reach },
): Promise<Outcome> {
  const now = clock.now()
  const headers = signedHeaders({ id: messageId, at: now, body }, validSecrets(content, now))
  try {
    const { status, text } = await guardedCall(
      {
        method: 'POST',
        url: content.url,
        headers: { ...headers, 'user-agent': 'Hushbox' },
        body,
        maxBytes: ANSWER_BYTES,
        isCut: true,
      },
      reach,
    )
    return { isTaken: status >= 200 && status < 300, status, answer: printable(text) }
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    return { isTaken: false, status: undefined, answer: error.message }
  }
}

/** Without what no database stores and no page shows. */
const printable = (text: string): string => text.replaceAll(/[^\P{C}\n\t]/gu, '\uFFFD')

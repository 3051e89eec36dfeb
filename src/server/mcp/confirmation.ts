import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** What a call would do, and what was shown before it. */
type Intent = { tool: string; input: unknown; shown: unknown; subject: string }

const FORM = /^(.*) ([0-9a-f]{8})-([0-9a-f]{8})-([0-9a-f]{10})$/s

/**
 * What an agent must send to go on: the name of what it was shown, a word of its own, the mark of
 * what was shown, and the proof that we asked for just this. The secret is the caller's own key, so
 * that any process can check it and nothing has to be kept.
 */
export function confirmationOf(secret: string, intent: Intent, nonce: string): string {
  const mark = markOf(intent.shown)
  return `${intent.subject} ${nonce}-${mark}-${proof(secret, intent, [intent.subject, nonce, mark])}`
}

/** A confirmation that we asked for, of this call; undefined for any other text. */
export function readConfirmation(
  secret: string,
  call: Pick<Intent, 'tool' | 'input'>,
  given: string,
): { word: string; isOf(what: Pick<Intent, 'shown' | 'subject'>): boolean } | undefined {
  const [, subject = '', nonce = '', mark = '', sent = ''] = FORM.exec(given) ?? []
  const wanted = proof(secret, call, [subject, nonce, mark])
  if (sent.length !== wanted.length) return undefined
  if (!timingSafeEqual(Buffer.from(sent), Buffer.from(wanted))) return undefined
  return {
    /** No other confirmation has it. */
    word: `${nonce}-${sent}`,
    isOf: (what) => what.subject === subject && markOf(what.shown) === mark,
  }
}

const markOf = (shown: unknown) =>
  createHash('sha256').update(JSON.stringify(shown)).digest('hex').slice(0, 8)

const proof = (secret: string, { tool, input }: Pick<Intent, 'tool' | 'input'>, rest: string[]) =>
  createHmac('sha256', secret)
    .update(JSON.stringify([tool, input, ...rest]))
    .digest('hex')
    .slice(0, 10)

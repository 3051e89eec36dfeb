import { MINUTE_MS } from '../time/durations.ts'

/** What a system answers by when it has started. */
export const PROOFS = ['ssh', 'agent', 'rdp', 'picture'] as const
export type ProofKind = (typeof PROOFS)[number]

/** How long a new system may take until it answers. */
export const ANSWERS_MS = 10 * MINUTE_MS
/** How long one try waits for it; between two, other jobs have their turn. */
export const LOOK_MS = 2 * MINUTE_MS

const SILENT = 'It did not answer in 10 minutes.'
/** What a client reads whose new server stayed silent. */
export const silentWords = ({ isPaid }: { isPaid: boolean }): string =>
  isPaid ? `${SILENT} Your money is back.` : `${SILENT} It is removed. You can order another one.`

/** Whether a failure is the silence of a new server: its order has ended, and nothing is open. */
export const tellsOfSilence = (failure: string | null): boolean =>
  failure?.startsWith(SILENT) ?? false

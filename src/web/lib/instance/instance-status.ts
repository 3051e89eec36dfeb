import { sentenceCase } from '../format/words.ts'

export type StatusTone = 'good' | 'bad' | 'warn' | 'idle'

const TONES: Record<string, StatusTone> = { running: 'good', stopped: 'bad', suspended: 'warn' }

/** Running green, stopped red, suspended yellow, anything else grey. */
export const statusTone = (status: string | null | undefined): StatusTone =>
  TONES[status ?? ''] ?? 'idle'

export const statusWord = (status: string | null | undefined): string =>
  status ? sentenceCase(status) : 'Unknown'

/** An instance without a name is called by its VM id. */
export const instanceName = ({ name, vmId }: { name: string | null; vmId: number }): string =>
  name || `VM-${vmId}`

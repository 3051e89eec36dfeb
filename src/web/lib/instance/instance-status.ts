import { sentenceCase } from '../format/words.ts'

export type StatusTone = 'good' | 'bad' | 'warn' | 'idle'

const TONES: Record<string, StatusTone> = { running: 'good', stopped: 'bad', suspended: 'warn' }

/** Running green, stopped red, suspended yellow, anything else grey. */
export const statusTone = (status: string | null | undefined): StatusTone =>
  TONES[status ?? ''] ?? 'idle'

export const statusWord = (status: string | null | undefined): string =>
  status ? sentenceCase(status) : 'Unknown'

type Called = { label?: string; name: string | null; vmId: number }

/** As its client calls it, else by its name, else by its VM id. */
export const instanceName = ({ label, name, vmId }: Called): string => label || name || `VM-${vmId}`

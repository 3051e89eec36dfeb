import type { Job } from '#shared/api/overview/dashboard.ts'
import type { TokenType } from '#shared/api/shop/tokens.ts'

export type Stage = 'claimed' | 'cloning' | 'configuring' | 'starting' | 'ready'

export const STAGE_WORDS: Record<Stage, string> = {
  claimed: 'Claimed',
  cloning: 'Cloning',
  configuring: 'Configuring',
  starting: 'Starting',
  ready: 'Ready',
}

/** The stages a buyer sees: a server that already runs is only handed over. */
export const stagesOf = (type: TokenType): readonly Stage[] =>
  type === 'ready'
    ? ['claimed', 'configuring', 'ready']
    : ['claimed', 'cloning', 'configuring', 'starting', 'ready']

const ORDER: readonly Stage[] = stagesOf('ip_mac')

/** The steps of a job by their stage (P2). */
const STEPS: Readonly<Record<Stage, readonly string[]>> = {
  claimed: ['claim', 'vm-id'],
  cloning: ['clone'],
  configuring: ['configure', 'resize', 'firewall', 'rate', 'plan-seed', 'seed'],
  starting: ['start', 'firmware', 'wait', 'proof', 'unseed'],
  ready: ['assign'],
}

/** The progress of the job: the index of its stage, or the number of stages once all are done. */
export function currentStage(
  { state, step }: Pick<Job, 'state' | 'step'>,
  stages: readonly Stage[],
): number {
  if (state === 'done') return stages.length
  const reached = Math.max(
    0,
    ORDER.findIndex((stage) => STEPS[stage].includes(step ?? '')),
  )
  // A stage that this job skips counts as the one before it.
  return stages.findLastIndex((stage) => ORDER.indexOf(stage) <= reached)
}

export const isUnderWay = ({ state }: Pick<Job, 'state'>): boolean =>
  state !== 'done' && state !== 'failed'

/** The text about a job that is not simply running. */
export function stateWords({
  state,
  step,
}: Pick<Job, 'state'> & { step?: Job['step'] }): string | undefined {
  switch (state) {
    case 'queued':
      return 'In line; it starts in a moment.'
    case 'waiting':
      if (step === 'proof') return 'It does not answer yet. We keep asking.'
      return 'The cluster gave an unexpected answer. We retry automatically.'
    case 'undoing':
      return 'It could not be finished and is being undone.'
    case 'running':
    case 'done':
    case 'failed':
      return undefined
  }
}

/** 0.426 → "43 %" */
export const percentText = (fraction: number): string =>
  `${Math.round(Math.min(1, Math.max(0, fraction)) * 100)} %`

import clsx from 'clsx'
import { Check } from 'lucide-react'
import type { Job } from '#shared/api/overview/dashboard.ts'
import type { TokenType } from '#shared/api/shop/tokens.ts'
import { Progress } from '../../ui/indicator/progress.tsx'
import { Spinner } from '../../ui/indicator/spinner.tsx'
import { currentStage, percentText, STAGE_WORDS, stagesOf, stateWords } from './job-stages.ts'

type JobStepperProps = {
  job: Pick<Job, 'title' | 'state' | 'step' | 'progress'>
  tokenType: TokenType
}

/** The stages from claimed to ready, with the job's real progress. */
export function JobStepper({ job, tokenType }: JobStepperProps) {
  const stages = stagesOf(tokenType)
  const current = currentStage(job, stages)
  const stage = stages[current]
  return (
    <div>
      <p role="status" className="flex items-center justify-between gap-4 font-semibold">
        <span className="flex items-center gap-2">
          <Spinner />
          {stage ? STAGE_WORDS[stage] : 'Ready'}
        </span>
        <span aria-hidden="true" className="tabular font-mono font-normal text-ink-soft">
          {percentText(job.progress)}
        </span>
      </p>
      <Progress className="mt-3" value={job.progress} label={job.title} tone="good" />
      <ol className="mt-4 flex flex-wrap gap-x-5 gap-y-2">
        {stages.map((name, index) => (
          <Step
            key={name}
            word={STAGE_WORDS[name]}
            place={index < current ? 'done' : index === current ? 'now' : 'later'}
          />
        ))}
      </ol>
      {stateWords(job) && <p className="mt-3 text-ink-soft">{stateWords(job)}</p>}
    </div>
  )
}

const PLACE_WORDS = { done: 'done', now: 'under way', later: 'to come' }

function Step({ word, place }: { word: string; place: keyof typeof PLACE_WORDS }) {
  return (
    <li
      aria-current={place === 'now' ? 'step' : undefined}
      className={clsx(
        'flex items-center gap-1.5 text-xs',
        place === 'later' ? 'text-ink-soft' : 'text-ink',
        place === 'now' && 'font-semibold',
      )}
    >
      <span
        aria-hidden="true"
        className={clsx(
          'grid size-4 place-content-center rounded-full border',
          place === 'done' && 'border-good-mark bg-good-soft text-good',
          place === 'now' && 'border-ink',
          place === 'later' && 'border-line-strong/50',
        )}
      >
        {place === 'done' && <Check strokeWidth={3} className="size-3" />}
        {place === 'now' && <span className="size-1.5 rounded-full bg-ink" />}
      </span>
      {word}
      <span className="sr-only">({PLACE_WORDS[place]})</span>
    </li>
  )
}

type Worked = Pick<Job, 'title' | 'state' | 'progress'>

/** A job of any other kind: its name and progress. */
export function JobLine({ job }: { job: Worked }) {
  return (
    <div>
      <p className="flex items-center justify-between gap-4">
        <span className="flex min-w-0 items-center gap-2 font-semibold">
          <Spinner />
          <span className="min-w-0 break-words">{job.title}</span>
        </span>
        <span aria-hidden="true" className="tabular font-mono text-ink-soft">
          {percentText(job.progress)}
        </span>
      </p>
      <Progress className="mt-3" value={job.progress} label={job.title} tone="good" />
      {stateWords(job) && <p className="mt-2 text-ink-soft">{stateWords(job)}</p>}
    </div>
  )
}

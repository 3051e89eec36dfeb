import { Suspense } from 'react'
import type { Job } from '#shared/api/overview/dashboard.ts'
import type { TokenType } from '#shared/api/shop/tokens.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'

const JobStepper = lazyPage(() => import('./job-stepper.tsx'), 'JobStepper')
const JobLine = lazyPage(() => import('./job-stepper.tsx'), 'JobLine')

type LazyJobProps = {
  job: Pick<Job, 'title' | 'state' | 'step' | 'progress'>
  /** Of a server that is being made: its stages are shown. */
  makes?: TokenType
}

/** The progress of a job, loaded when there is one: most of the time there is none. */
export function LazyJob({ job, makes }: LazyJobProps) {
  return (
    <Suspense>
      {makes ? <JobStepper job={job} tokenType={makes} /> : <JobLine job={job} />}
    </Suspense>
  )
}

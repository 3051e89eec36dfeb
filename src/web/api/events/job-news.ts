import type { ClientToken } from '#shared/api/overview/client.ts'
import type { Job } from '#shared/api/overview/dashboard.ts'
import type { ServerEvent } from '#shared/api/overview/events.ts'

export type JobNews = Extract<ServerEvent, { type: 'job' }>['job']

/** The list, updated with one job event; a new job comes first. */
export function withJob(jobs: readonly Job[], news: JobNews): Job[] {
  const isKnown = jobs.some(({ id }) => id === news.id)
  // A new job has just begun, or the next read of the list brings its start time.
  if (!isKnown) {
    const startedAt = new Date().toISOString()
    return [{ ...news, ownerId: null, isStuck: false, startedAt }, ...jobs]
  }
  return jobs.map((job) => (job.id === news.id ? { ...job, ...news } : job))
}

/** The same for the tokens that the job works on. */
export const withJobOfTokens = (tokens: readonly ClientToken[], news: JobNews): ClientToken[] =>
  tokens.map((token) =>
    token.job?.id === news.id ? { ...token, job: { ...token.job, ...news } } : token,
  )

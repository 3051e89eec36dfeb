import type { ClientToken } from '#shared/api/overview/client.ts'
import type { Job } from '#shared/api/overview/dashboard.ts'
import type { ServerEvent } from '#shared/api/overview/events.ts'

export type JobNews = Extract<ServerEvent, { type: 'job' }>['job']

/** The list with what was heard of one job; a new one stands first. */
export function withJob(jobs: readonly Job[], news: JobNews): Job[] {
  const isKnown = jobs.some(({ id }) => id === news.id)
  // Heard of for the first time: it has just begun, or the next reading of the list says since when.
  if (!isKnown) {
    const startedAt = new Date().toISOString()
    return [{ ...news, ownerId: null, isStuck: false, startedAt }, ...jobs]
  }
  return jobs.map((job) => (job.id === news.id ? { ...job, ...news } : job))
}

/** The same for the tokens whose work it is. */
export const withJobOfTokens = (tokens: readonly ClientToken[], news: JobNews): ClientToken[] =>
  tokens.map((token) => (token.job?.id === news.id ? { ...token, job: news } : token))

import type { QueryClient } from '@tanstack/react-query'
import type { ClientToken } from '#shared/api/overview/client.ts'
import type { Job } from '#shared/api/overview/dashboard.ts'
import { refresh } from '../query.ts'
import { keyOf } from '../request.ts'
import { api } from '../table.ts'
import { type JobNews, withJob, withJobOfTokens } from './job-news.ts'

/** Shows a job event at once; when the job ends, everything it changed is read again. */
export function noteJob(client: QueryClient, news: JobNews) {
  client.setQueryData<Job[]>(keyOf(api.jobs.list), (jobs) => jobs && withJob(jobs, news))
  client.setQueryData<ClientToken[]>(
    keyOf(api.client.tokens),
    (tokens) => tokens && withJobOfTokens(tokens, news),
  )
  if (news.state !== 'done' && news.state !== 'failed') return
  void refresh(client, [api.client.tokens, api.client.instances, api.tokens.list])
}

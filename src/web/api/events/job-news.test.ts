import { expect, test } from 'vitest'
import type { ClientToken } from '#shared/api/overview/client.ts'
import { type JobNews, withJob, withJobOfTokens } from './job-news.ts'

const news: JobNews = {
  id: 'a',
  kind: 'provision',
  title: 'Making quiet-harbour',
  state: 'running',
  step: 'clone',
  progress: 0.4,
  error: null,
}

test('a new job joins the list, then it is kept up to date', () => {
  const startedAt = '2026-03-01T12:00:00.000Z'
  const once = withJob([], news)
  expect(once).toEqual([{ ...news, ownerId: null, isStuck: false, startedAt: expect.any(String) }])
  const later = withJob([{ ...news, ownerId: 7, isStuck: false, startedAt }], {
    ...news,
    step: 'start',
    progress: 0.9,
  })
  expect(later).toEqual([
    { ...news, step: 'start', progress: 0.9, ownerId: 7, isStuck: false, startedAt },
  ])
})

test('a token follows its own job only', () => {
  const tokens = [
    { id: 1, job: { ...news, progress: 0.1 } },
    { id: 2, job: null },
    { id: 3, job: { ...news, id: 'b', progress: 0.1 } },
  ] as ClientToken[]
  expect(withJobOfTokens(tokens, news).map(({ job }) => job?.progress)).toEqual([
    0.4,
    undefined,
    0.1,
  ])
})

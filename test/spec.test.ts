import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import type { Route } from '#shared/api/parts/route.ts'
import { testApp } from '../src/server/testing/test-app.ts'
import { SPECIFIED_CALLS } from './contract/specified-calls.ts'
import { SPECIFIED_TEXTS, UNPROVOKED_TEXTS } from './spec-texts.ts'

const ASSETS = join(import.meta.dirname, '../dist/web/assets')

type Operation = { operationId: string; 'x-access': string; responses: Record<string, unknown> }
type Document = { openapi: string; paths: Record<string, Record<string, Operation>> }

describe('the API document', async () => {
  const t = await testApp()
  const reply = await t.visitor.send({ method: 'GET', url: '/api/openapi.json' })
  const document = reply.json<Document>()
  const calls = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )

  test('is OpenAPI 3.1', () => {
    expect(document.openapi).toBe('3.1.0')
  })

  test.each(SPECIFIED_CALLS)('has %s', (call) => {
    expect(calls).toContain(call)
  })

  test('has every route of the table once, each with an answer', () => {
    const routes: Route[] = Object.values(api).flatMap((group) => Object.values(group))
    expect(calls).toHaveLength(routes.length)
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(routes.length)
    for (const { responses } of operations) expect(Object.keys(responses)).toContain('default')
  })
})

/** Composed from parts, or from the database: only the running product shows them whole. */
const COMPOSED = [
  '7 days for $1',
  'Cluster Online',
  'Failed to start instance',
  'Failed to start instance: ',
  'Failed to shutdown instance',
  'Failed to restart instance',
  'All Tokens (',
]

// e2e/pictures/texts.last.ts checks that people see them in the running product.
describe('the specified texts are in what browsers receive', () => {
  const sent = readdirSync(ASSETS)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(ASSETS, name), 'utf8'))
    .join('\n')
    .replaceAll("\\'", "'")

  test.each([
    ...Object.entries(SPECIFIED_TEXTS),
    ['of answers never given', UNPROVOKED_TEXTS] as const,
  ])('%s', (_, texts) => {
    const missing = texts.filter((text) => !sent.includes(text) && !COMPOSED.includes(text))
    expect(missing).toEqual([])
  })
})

import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { openApiDocument } from '../../src/server/http/openapi/openapi.ts'
import { api } from '../../src/shared/api/index.ts'
import { type Document, type Facts, factsOf } from './facts.ts'
import { SPECIFIED_CALLS } from './specified-calls.ts'

/** The specification's calls as programs know them. */
const BASELINE = resolve(import.meta.dirname, '../fixtures/api/specified-calls.json')

export const readBaseline = (): Facts => JSON.parse(readFileSync(BASELINE, 'utf8'))

export const presentFacts = (): Facts => {
  const document = openApiDocument(api, { title: 'API', version: '0' }) as Document
  return factsOf(document, SPECIFIED_CALLS)
}

/** A line for each field, so that an accepted change can be read in a review. */
export function writeBaseline(facts: Facts): void {
  const text = JSON.stringify(facts, undefined, 2)
  const lines = text.replaceAll(/\{\s+("types"[^{}]*?)\s+\}/g, (_, field: string) => {
    return `{ ${field.replaceAll(/\s+/g, ' ').replaceAll('[ ', '[').replaceAll(' ]', ']')} }`
  })
  writeFileSync(BASELINE, `${lines}\n`)
}

import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PROMISES } from './faults/promises.ts'

const ROOT = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const SOURCES = globSync(
  ['{src,test,e2e,bench,scripts}/**/*.{ts,tsx,mjs,md}', 'docs/**/*.md', '*.md'],
  { cwd: ROOT },
)

/** Citations in all sources, each with its file. */
const cited = (pattern: RegExp): { file: string; what: string }[] =>
  SOURCES.flatMap((file) =>
    [...read(file).matchAll(pattern)].map(([, what = '']) => ({ file, what })),
  )

const numbered = (file: string, pattern: RegExp): Set<string> =>
  new Set([...read(file).matchAll(pattern)].map(([, number = '']) => number))

/** Citations that resolve to nothing. */
const dangling = (pattern: RegExp, known: Set<string>): string[] =>
  cited(pattern)
    .filter(({ what }) => !known.has(what))
    .map(({ file, what }) => `${file}: ${what}`)

describe('every citation in the sources resolves', () => {
  test('rules of the product, as in (T6) or (O2, O4)', () => {
    const rules = numbered('docs/product-rules.md', /^\| ([A-Z]\d+) \|/gm)
    const pattern = /[(,] ?([ACFIOPT]\d{1,2})(?=[),?])/g
    expect(rules.size).toBeGreaterThan(60)
    expect(cited(pattern).length).toBeGreaterThan(60)
    expect(dangling(pattern, rules)).toEqual([])
  })

  test.each([
    ['facts', /\bfacts §(\d+)/g, /^## (\d+)\. /gm],
    ['facts-2', /\bfacts-2 §(\d+)/g, /^## (\d+)\. /gm],
    ['facts-3', /\bfacts-3 §(\d+)/g, /^(\d+)\. /gm],
  ] as const)('sections of %s', (page, citation, heading) => {
    const sections = numbered(`docs/proxmox/${page}.md`, heading)
    expect(sections.size).toBeGreaterThan(10)
    expect(dangling(citation, sections)).toEqual([])
  })

  test("sections in the client's README", () => {
    const sections = numbered('docs/proxmox/facts.md', /^## (\d+)\. /gm)
    const named = [...read('src/proxmox/README.md').matchAll(/§(\d+)/g)].map(([, n = '']) => n)
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((n) => !sections.has(n))).toEqual([])
  })

  test('promises of reliability, R1 and on', () => {
    const promises = new Set(Object.keys(PROMISES).map((name) => name.split(' ')[0] ?? ''))
    expect(dangling(/\b(R\d{1,2})\b(?!:|;|\[)/g, promises)).toEqual([])
  })
})

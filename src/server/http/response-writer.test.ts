import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Flag, Id, Timestamp } from '#shared/api/parts/fields.ts'
import { writtenOnce } from '../lib/written-once.ts'
import { responseWriter } from './response-writer.ts'

const Row = z.object({
  id: Id,
  name: z.string(),
  note: z.string().min(2).nullable(),
  load: z.number().nullable(),
  left: z.number().int(),
  at: Timestamp,
  later: Timestamp.nullable(),
  on: Flag,
  kind: z.enum(['a', 'b']),
  tags: z.array(z.string()).optional(),
  free: z.unknown(),
  inner: z.object({ ok: z.boolean() }).nullable(),
  any: z.record(z.string(), z.unknown()),
  whole: z.int(),
  even: z.number().int().multipleOf(2),
  word: z.enum(['a', 'b']).refine((word) => word !== 'b'),
  can: z.record(z.enum(['start', 'stop']), z.object({ allowed: z.boolean() })),
})
const List = z.array(Row)

const can = fc.record({ allowed: fc.boolean(), secret: fc.constant('canary') })

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Of what is still in use. */
function heapUsed(): number {
  collect()
  return process.memoryUsage().heapUsed
}

/** Mostly valid, sometimes not, always with a field that the schema does not name. */
const row = fc.record(
  {
    id: fc.oneof(
      { weight: 20, arbitrary: fc.integer({ min: 1, max: 3 }) },
      fc.constantFrom(0, 2_147_483_647, 2_147_483_648),
    ),
    name: fc.oneof({ weight: 20, arbitrary: fc.string({ unit: 'binary' }) }, fc.constant(7)),
    note: fc.option(fc.string({ minLength: 1, size: 'medium' })),
    load: fc.option(fc.double({ noNaN: false })),
    left: fc.oneof({ weight: 20, arbitrary: fc.integer() }, fc.constantFrom(0.5, 2 ** 60)),
    at: fc.oneof(
      { weight: 20, arbitrary: fc.date({ noInvalidDate: true }) },
      fc.constantFrom('2026-11-15T12:00:00Z', 'now'),
    ),
    later: fc.option(fc.date({ noInvalidDate: true })),
    on: fc.constantFrom(true, false, 0, 1),
    kind: fc.constantFrom('a', 'b'),
    tags: fc.array(fc.string()),
    free: fc.anything(),
    inner: fc.option(fc.record({ ok: fc.boolean(), password: fc.string() })),
    any: fc.dictionary(fc.string(), fc.integer()),
    whole: fc.oneof({ weight: 20, arbitrary: fc.integer() }, fc.constant(0.5)),
    even: fc.oneof({ weight: 20, arbitrary: fc.constant(4) }, fc.constant(5)),
    word: fc.oneof({ weight: 20, arbitrary: fc.constant('a') }, fc.constantFrom('b', 'c')),
    can: fc.oneof(
      { weight: 20, arbitrary: fc.record({ stop: can, start: can }) },
      fc.record({ stop: can, start: can }, { requiredKeys: [] }),
      fc.record({ stop: can, start: can, pause: can }),
    ),
    password: fc.constant('canary'),
  },
  {
    requiredKeys: [
      'id',
      'name',
      'note',
      'load',
      'left',
      'at',
      'later',
      'on',
      'kind',
      'inner',
      'any',
      'whole',
      'even',
      'word',
      'can',
    ],
  },
)

const outcome = (act: () => unknown) => {
  try {
    return { text: act() }
  } catch {
    return 'refused'
  }
}

describe('an answer', () => {
  const write = responseWriter(List)

  test('equals the output of zod and JSON exactly', () => {
    let refused = 0
    fc.assert(
      fc.property(fc.array(row, { maxLength: 3 }), (value) => {
        const expected = outcome(() => JSON.stringify(List.parse(value)))
        if (expected === 'refused') refused += 1
        expect(outcome(() => write(value))).toEqual(expected)
      }),
      { numRuns: 500 },
    )
    expect(refused).toBeGreaterThan(10)
    expect(refused).toBeLessThan(400)
  })

  // Of random rows most break several rules at once; here each value breaks one, or none.
  const acts = z.record(z.enum(['start', 'stop']), z.boolean())
  const word = z.enum(['a', 'b'])
  test.each<[string, z.ZodType, unknown[]]>([
    ['a number', z.number(), [0.5, -0, 1e21, Number.NaN, Number.POSITIVE_INFINITY, '1', null]],
    ['a whole number', z.int(), [7, 0.5, 2 ** 60, '7']],
    ['a checked whole number', z.number().int(), [7, 0.5, 2 ** 60]],
    ['a whole number with a limit', z.int().min(1), [1, 0, 0.5]],
    [
      'a whole number with two checks',
      z
        .number()
        .int()
        .refine((n) => n !== 7),
      [7, 8, 0.5],
    ],
    ['a limited whole number', Id, [1, 0, -1, 0.5, 2_147_483_648]],
    ['an even number', z.number().int().multipleOf(2), [4, 5]],
    ['a text', z.string(), ['a"b', 'a\\b', '\0', '\u2028', '\x7f', '😀', '\ud83d', 'a\ude00', 1]],
    ['a boolean', z.boolean(), [true, false, 1, 'true', null]],
    ['a word', word, ['a', 'c', '', 1]],
    ['a refined word', word.refine((one) => one !== 'b'), ['a', 'b', 'c']],
    ['a record of words', acts, [{ stop: true, start: false }, { start: true }, [true, false]]],
    ['a record with another word', acts, [{ stop: true, start: true, pause: true }]],
    ['a moment', Timestamp, [new Date(0), new Date(-1), new Date(2e14), new Date(3e14), 'now']],
  ])('is refused exactly where zod refuses %s', (_, schema, values) => {
    const field = z.object({ field: schema })
    const writeField = responseWriter(field)
    const written = values.map((value) => outcome(() => writeField({ field: value })))
    const byZod = values.map((value) =>
      outcome(() => JSON.stringify(field.parse({ field: value }))),
    )
    expect(written).toEqual(byZod)
  })

  test.each<[string, z.ZodType]>([
    ['anything', z.unknown()],
    ['a text', z.string()],
    ['a text that may miss', z.string().optional()],
    ['a text with a default', z.string().default('none')],
  ])('without a field for %s is what zod makes of it', (_, schema) => {
    const field = z.object({ field: schema })
    expect(outcome(() => responseWriter(field)({}))).toEqual(
      outcome(() => JSON.stringify(field.parse({}))),
    )
  })

  test('is serialised again, unless it is declared to be written once', () => {
    const writeOne = responseWriter(z.object({ id: Id }))
    let reads = 0
    const counted = (id: number) => ({
      get id() {
        reads += 1
        return id
      },
    })
    const open = counted(1)
    expect([writeOne(open), writeOne(open)]).toEqual(['{"id":1}', '{"id":1}'])
    expect(reads).toBe(2)
    const frozen = Object.freeze(counted(2))
    expect([writeOne(frozen), writeOne(frozen)]).toEqual(['{"id":2}', '{"id":2}'])
    expect(reads).toBe(4)
    const fixed = writtenOnce(counted(3))
    expect([writeOne(fixed), writeOne(fixed)]).toEqual(['{"id":3}', '{"id":3}'])
    expect(reads).toBe(5)
  })

  test('that is kept takes no more than its text', () => {
    const names = Array.from({ length: 40 }, (_, at) => `field${at}`)
    const Wide = z.object(Object.fromEntries(names.map((name) => [name, z.string()])))
    const writeRow = responseWriter(Wide)
    const rows = Array.from({ length: 500 }, (_, at) =>
      writtenOnce(Object.fromEntries(names.map((name) => [name, `value ${at} of ${name}`]))),
    )
    const before = heapUsed()
    const length = rows.reduce((sum, row) => sum + (writeRow(row)?.length ?? 0), 0)
    expect(heapUsed() - before).toBeLessThan(2 * length)
    // The rows live as long as what is kept of them.
    expect(rows).toHaveLength(500)
  })

  test('contains nothing that the schema does not name, at any depth', () => {
    const secret = { password: 'canary' }
    const value = { id: 1, inner: { ok: true, ...secret }, list: [{ id: 2, ...secret }], ...secret }
    const Shown = z.object({
      id: Id,
      inner: z.object({ ok: z.boolean() }),
      list: z.array(z.object({ id: Id })),
    })
    expect(responseWriter(Shown)(value)).toBe('{"id":1,"inner":{"ok":true},"list":[{"id":2}]}')
  })

  test('that violates its schema is our fault, not bad input', () => {
    const broken = () => write([{ id: 'x' }])
    expect(broken).toThrow('an answer is not what its route promises')
    expect(broken).not.toThrow(z.ZodError)
  })

  test("keeps zod's checks across fields", () => {
    const Range = z
      .object({ first: z.number(), last: z.number() })
      .refine(({ first, last }) => first < last)
    expect(responseWriter(Range)({ first: 1, last: 2 })).toBe('{"first":1,"last":2}')
    expect(() => responseWriter(Range)({ first: 2, last: 1 })).toThrow()
    expect(() => responseWriter(z.strictObject({ a: z.string() }))({ a: '', b: 1 })).toThrow()
  })
})

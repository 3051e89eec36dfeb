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
})
const List = z.array(Row)

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

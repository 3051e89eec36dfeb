import { expect, it } from 'vitest'
import { z } from 'zod'
import { Resource } from '../calls/cluster.ts'
import { flag, listRow, maybeNumber, number, tagList, text } from './answers.ts'
import { readMaybeText, readNumber } from './read-value.ts'

it('reads numbers, booleans and texts in every form that Perl sends', () => {
  expect([1, '1', '-2.5e3'].map((value) => number.parse(value))).toEqual([1, 1, -2500])
  expect([true, 1, '1', false, 0, '0', '', null].map((value) => flag.parse(value))).toEqual([
    ...[true, true, true],
    ...[false, false, false, false, false],
  ])
  expect(text.parse(7)).toBe('7')
  expect(tagList.parse('a;b, c')).toEqual(['a', 'b', 'c'])
  expect(z.object({ cpu: maybeNumber, template: flag }).parse({})).toEqual({ template: false })
})

it.each(['', 'ten', Number.NaN, {}, null, undefined])('%j is not a number', (value) => {
  expect(number.safeParse(value).success).toBe(false)
})

it('reads a row of a list, and drops unknown fields', () => {
  const Row = listRow((field) => ({ id: field('vmid', readNumber) }))
  expect(Row.array().parse([{ vmid: '100', other: 1 }])).toEqual([{ id: 100 }])
})

it('names the row and the field that cannot be read', () => {
  const Row = listRow((field) => ({
    name: field('name', readMaybeText),
    id: field('vmid', readNumber),
  }))
  const { error } = Row.array().safeParse([{ vmid: 100 }, { name: 'web', vmid: 'ten' }])
  expect(error?.issues).toMatchObject([{ path: [1, 'vmid'], message: 'Expected a number' }])
  expect(Row.safeParse('rubbish').error?.issues).toMatchObject([{ message: 'Expected an object' }])
})

it('never hides a fault of our own', () => {
  const Row = listRow(() => {
    throw new TypeError('ours')
  })
  expect(() => Row.safeParse({})).toThrow('ours')
})

it('requires of a resource only the fields that are always present', () => {
  expect(Resource.parse({ id: 'node/pve1', type: 'node' })).toMatchObject({
    ...{ id: 'node/pve1', node: undefined, vmid: undefined },
    ...{ template: false, shared: false, tags: [] },
  })
  expect(Resource.safeParse({ id: 'node/pve1' }).success).toBe(false)
})

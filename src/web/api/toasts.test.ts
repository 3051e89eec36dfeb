import { expect, test } from 'vitest'
import { nextToasts, type Toast } from './toasts.ts'

const toast = (id: number): Toast => ({ id, title: `Toast ${id}`, isOpen: true })

test('only one toast is shown at a time', () => {
  expect(nextToasts([toast(1)], { type: 'show', toast: toast(2) })).toEqual([toast(2)])
})

test('a dismissed toast closes and is removed later', () => {
  const closed = nextToasts([toast(1)], { type: 'dismiss', id: 1 })
  expect(closed).toEqual([{ ...toast(1), isOpen: false }])
  expect(nextToasts(closed, { type: 'remove', id: 1 })).toEqual([])
})

test('the end of an old toast does not affect the new one', () => {
  expect(nextToasts([toast(2)], { type: 'dismiss', id: 1 })).toEqual([toast(2)])
  expect(nextToasts([toast(2)], { type: 'remove', id: 1 })).toEqual([toast(2)])
})

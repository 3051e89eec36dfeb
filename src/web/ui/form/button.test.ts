import { expect, test, vi } from 'vitest'
import { Button } from './button.tsx'

const pressed = (props: Parameters<typeof Button>[0]) => {
  const event = { preventDefault: vi.fn() }
  const { props: shown } = Button(props)
  shown.onClick?.(event)
  return { shown, event }
}

test('a button whose action is under way keeps the focus: it is busy and not disabled', () => {
  const { shown } = pressed({ isPending: true })
  expect(shown).toMatchObject({ 'aria-disabled': true, 'aria-busy': true })
  expect(shown.disabled).toBeFalsy()
  // The state that the action leads to may refuse the next one already.
  expect(pressed({ isPending: true, disabled: true }).shown.disabled).toBe(false)
})

test('a second press does nothing, and sends no form', () => {
  const onClick = vi.fn()
  const { event } = pressed({ isPending: true, onClick, type: 'submit' })
  expect(onClick).not.toHaveBeenCalled()
  expect(event.preventDefault).toHaveBeenCalledOnce()
})

test('otherwise a press is a press, and a refused button is disabled', () => {
  const onClick = vi.fn()
  const { shown, event } = pressed({ onClick })
  expect(onClick).toHaveBeenCalledOnce()
  expect(event.preventDefault).not.toHaveBeenCalled()
  expect(shown['aria-disabled']).toBeUndefined()
  expect(pressed({ disabled: true }).shown.disabled).toBe(true)
  expect(pressed({ 'aria-disabled': true }).shown).toMatchObject({ 'aria-disabled': true })
})

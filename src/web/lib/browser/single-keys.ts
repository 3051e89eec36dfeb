import { useSyncExternalStore } from 'react'
import { remember, remembered } from './storage.ts'

/**
 * Shortcuts of one key can be triggered by speech input and by accident: users can turn them off
 * (WCAG 2.1.4).
 */
let isOn: boolean | undefined
const listeners = new Set<() => void>()

export function hasSingleKeys(): boolean {
  isOn ??= remembered('singleKeys') !== 'off'
  return isOn
}

export function setSingleKeys(next: boolean) {
  isOn = next
  remember('singleKeys', next ? 'on' : 'off')
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export const useSingleKeys = () => useSyncExternalStore(subscribe, hasSingleKeys)

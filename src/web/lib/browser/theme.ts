import { useSyncExternalStore } from 'react'
import { remember, remembered } from './storage.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const isTheme = (value: string | null): value is Theme => THEMES.some((theme) => theme === value)

const readTheme = (): Theme => {
  const theme = remembered('theme')
  return isTheme(theme) ? theme : 'system'
}

let current: Theme | undefined
const listeners = new Set<() => void>()
const system = () => matchMedia('(prefers-color-scheme: dark)')

function paint(theme: Theme) {
  const isDark = theme === 'dark' || (theme === 'system' && system().matches)
  document.documentElement.classList.toggle('dark', isDark)
}

export function setTheme(theme: Theme) {
  current = theme
  remember('theme', theme)
  paint(theme)
  for (const listener of listeners) listener()
}

/**
 * The script in index.html makes the first paint; from here on changes of the system's theme count.
 */
export const followSystemTheme = () => system().addEventListener('change', () => paint(theme()))

const theme = (): Theme => {
  current ??= readTheme()
  return current
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export const useTheme = () => useSyncExternalStore(subscribe, theme)

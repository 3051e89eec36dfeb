const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent)

export const paletteKeys = [isMac ? '⌘' : 'Ctrl', 'K'] as const

type Keys = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>
export type Shortcut = 'palette' | 'help' | 'search'

/** The shortcut of a key press; single keys only outside of fields, and only where allowed. */
export function shortcutOf(
  { key, ctrlKey, metaKey, altKey }: Keys,
  { isTyping, hasSingleKeys }: { isTyping: boolean; hasSingleKeys: boolean },
): Shortcut | undefined {
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') return 'palette'
  if (ctrlKey || metaKey || altKey || isTyping || !hasSingleKeys) return undefined
  if (key === '?') return 'help'
  if (key === '/') return 'search'
  return undefined
}

import { Monitor, Moon, Sun } from 'lucide-react'
import { setTheme, THEMES, useTheme } from '../../lib/browser/theme.ts'
import { Button } from '../../ui/form/button.tsx'

const ICONS = { system: Monitor, light: Sun, dark: Moon }

/** Cycles through system, light and dark. */
export function ThemeButton() {
  const theme = useTheme()
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  const Icon = ICONS[theme]
  return (
    <Button
      variant="ghost"
      size="icon"
      aria-label={`Theme: ${theme}. Change to ${next}`}
      onClick={() => setTheme(next)}
    >
      <Icon aria-hidden="true" className="size-4" />
    </Button>
  )
}

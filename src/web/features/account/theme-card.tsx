import clsx from 'clsx'
import { Monitor, Moon, Sun } from 'lucide-react'
import { setTheme, THEMES, useTheme } from '../../lib/browser/theme.ts'
import { Card, CardBody, CardHeader } from '../../ui/layout/card.tsx'

const LOOKS = {
  system: { icon: Monitor, words: 'System' },
  light: { icon: Sun, words: 'Light' },
  dark: { icon: Moon, words: 'Dark' },
}

export function ThemeCard() {
  const current = useTheme()
  return (
    <Card>
      <CardHeader title="Theme" description="Remembered in this browser only." />
      <CardBody>
        <fieldset className="grid max-w-lg gap-2 sm:grid-cols-3">
          <legend className="sr-only">Theme</legend>
          {THEMES.map((theme) => {
            const { icon: Icon, words } = LOOKS[theme]
            return (
              <label
                key={theme}
                className={clsx(
                  'flex h-12 items-center gap-3 rounded-md border px-4',
                  'has-focus-visible:outline-2 has-focus-visible:outline-link has-focus-visible:outline-offset-2',
                  theme === current ? 'border-ink bg-sunken font-semibold' : 'hover:bg-sunken',
                )}
              >
                <input
                  type="radio"
                  name="theme"
                  checked={theme === current}
                  onChange={() => setTheme(theme)}
                  className="sr-only"
                />
                <Icon aria-hidden="true" className="size-4" />
                {words}
              </label>
            )
          })}
        </fieldset>
      </CardBody>
    </Card>
  )
}

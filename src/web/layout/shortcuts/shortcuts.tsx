import { Search } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { hasSingleKeys } from '../../lib/browser/single-keys.ts'
import type { Area } from '../../lib/paths/page-title.ts'
import { Button } from '../../ui/form/button.tsx'
import type { NavItem } from '../navigation/navigation.ts'
import { paletteKeys, shortcutOf } from './shortcut-keys.ts'

const loadPalette = () => import('../palette/palette.tsx')
const Palette = lazyPage(loadPalette, 'Palette')
const KeyboardHelp = lazyPage(() => import('./keyboard-help.tsx'), 'KeyboardHelp')

/** The palette, the help and their keys, with a button for users who do not know the keys. */
export function Shortcuts({ area, nav }: { area: Area; nav: readonly NavItem[] }) {
  const [open, setOpen] = useState<'palette' | 'help'>()
  const close = () => setOpen(undefined)
  // A user who knows the key types on at once: text typed before the palette is loaded would be
  // lost.
  useEffect(() => void loadPalette(), [])
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      const shortcut = shortcutOf(event, {
        isTyping: isField(event.target),
        hasSingleKeys: hasSingleKeys(),
      })
      // While a dialog is open the keys belong to it.
      if (!shortcut || document.querySelector('[role$=dialog]')) return
      if (shortcut === 'search' && !focusSearch()) return
      event.preventDefault()
      if (shortcut !== 'search') setOpen(shortcut)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <Button
        variant="ghost"
        size="sm"
        className="max-sm:hidden"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen('palette')}
      >
        <Search aria-hidden="true" className="size-4" />
        <span className="max-lg:sr-only">Search</span>
        <span
          aria-hidden="true"
          className="rounded-sm border px-1.5 font-mono text-xs max-lg:hidden"
        >
          {paletteKeys.join(' ')}
        </span>
      </Button>
      <Suspense>
        {open === 'palette' && (
          <Palette area={area} nav={nav} onHelp={() => setOpen('help')} onClose={close} />
        )}
        {open === 'help' && <KeyboardHelp onClose={close} />}
      </Suspense>
    </>
  )
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]')
  field?.focus()
  return field !== null
}

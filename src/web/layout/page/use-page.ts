import { type RefObject, useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { brandName } from '../../lib/browser/page-facts.ts'

/**
 * Names the page for tab and history. On a change of address the page starts at its top and takes
 * the focus, as a freshly loaded one would; changes of the search part leave both alone.
 */
export function usePage(title: string): RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null)
  const [path] = useLocation()
  const shown = useRef(path)

  useEffect(() => {
    document.title = `${title} · ${brandName}`
  }, [title])

  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    window.scrollTo(0, 0)
    main.current?.focus({ preventScroll: true })
  }, [path])

  return main
}

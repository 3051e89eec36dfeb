import { type RefObject, useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { brandName } from '../../lib/browser/page-facts.ts'

/**
 * Sets the page's title for tab and history. When the address changes, the page scrolls to its top
 * and takes the focus, as a freshly loaded one would; changes of the search part do neither.
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

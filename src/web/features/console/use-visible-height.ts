import { type RefObject, useEffect } from 'react'

/**
 * Keeps the element as high as the visible area: an on-screen keyboard covers the end of the page.
 */
export function useVisibleHeight(element: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const view = window.visualViewport
    if (!view) return
    const fit = () => {
      if (element.current) element.current.style.height = `${view.height}px`
    }
    view.addEventListener('resize', fit)
    return () => view.removeEventListener('resize', fit)
  }, [element])
}

import { type RefObject, useEffect } from 'react'

/** Keeps the element as high as what can be seen: an on-screen keyboard covers the page's end. */
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

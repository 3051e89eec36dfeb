/** What a hardened browser refuses. Runs in the page. */
export function harden(): void {
  const denied = () => {
    throw new DOMException('denied', 'SecurityError')
  }
  HTMLCanvasElement.prototype.getContext = () => null
  HTMLCanvasElement.prototype.toDataURL = denied
  for (const storage of ['localStorage', 'sessionStorage']) {
    Object.defineProperty(window, storage, { get: denied })
  }
}

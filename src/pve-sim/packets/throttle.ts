/** A packet that would wait longer is dropped, as the queue of a card drops it. */
const LONGEST_WAIT_MS = 400

/**
 * Slows what passes in one direction to a rate, as Proxmox limits a card.
 * @param bytesPerSecond what is allowed now; undefined: not limited
 */
export function throttle(bytesPerSecond: () => number | undefined) {
  let freeAt = 0
  return (size: number, send: () => void): void => {
    const rate = bytesPerSecond()
    if (rate === undefined) {
      send()
      return
    }
    const now = performance.now()
    const wait = Math.max(freeAt - now, 0)
    if (wait > LONGEST_WAIT_MS) return
    freeAt = now + wait + (size / rate) * 1000
    setTimeout(send, wait)
  }
}

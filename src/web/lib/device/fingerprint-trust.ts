/** The properties that decide whether a browser's fingerprint is unique. */
export type Telling = {
  hostname: string
  userAgent: string
  /** Read back from a canvas on which known colours were drawn; undefined where that is blocked. */
  drawn: readonly number[] | undefined
  timeZone: string
  cores: number | undefined
}

/** The drawn pixels: four, opaque, in colours that no browser has a reason to change. */
export const COLOURS = [17, 34, 51, 255, 201, 117, 60, 255, 90, 180, 33, 255, 240, 12, 128, 255]

/**
 * Whether a fingerprint of this browser is unique. Tor Browser, and Firefox and Brave when
 * configured to, return a blank or noisy canvas: all of them look alike, or different each time.
 * Two phones of one model are alike in everything. On an onion address no fingerprint is computed
 * at all.
 */
export function tellsApart({ hostname, userAgent, drawn, timeZone, cores }: Telling): boolean {
  if (hostname.endsWith('.onion')) return false
  if (/Mobi|Android|iPhone|iPad/.test(userAgent)) return false
  const isTrue = drawn?.length === COLOURS.length && drawn.every((part, n) => part === COLOURS[n])
  if (!isTrue) return false
  // Values that are the same in every such browser: too few remain to tell it apart.
  const isMasked = /^(UTC|Etc\/UTC|Atlantic\/Reykjavik)$/.test(timeZone) && (cores ?? 0) <= 2
  return !(isMasked && /Firefox\//.test(userAgent))
}

export function lookAtBrowser(): Telling {
  return {
    hostname: location.hostname,
    userAgent: navigator.userAgent,
    drawn: drawAndRead(),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    cores: navigator.hardwareConcurrency,
  }
}

function drawAndRead(): number[] | undefined {
  try {
    const canvas = document.createElement('canvas')
    canvas.width = COLOURS.length / 4
    canvas.height = 1
    const context = canvas.getContext('2d')
    if (!context) return undefined
    for (let n = 0; n < COLOURS.length; n += 4) {
      context.fillStyle = `rgb(${COLOURS.slice(n, n + 3).join(',')})`
      context.fillRect(n / 4, 0, 1, 1)
    }
    return [...context.getImageData(0, 0, canvas.width, 1).data]
  } catch {
    return undefined
  }
}

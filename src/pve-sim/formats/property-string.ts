/** `virtio=BC:24:..,bridge=vmbr0`: comma-separated keys; the first may be a bare value. */
export function parseProperties(text: string, defaultKey?: string): Map<string, string> {
  const parts = new Map<string, string>()
  for (const piece of text.split(',')) {
    const at = piece.indexOf('=')
    if (at > 0) parts.set(piece.slice(0, at).trim(), piece.slice(at + 1).trim())
    else if (defaultKey && piece.trim()) parts.set(defaultKey, piece.trim())
  }
  return parts
}

/** Changes one key and leaves the rest of the string as written. */
export function withProperty(text: string, key: string, value: string): string {
  const pieces = text.split(',')
  const index = pieces.findIndex((piece) => piece.startsWith(`${key}=`))
  if (index >= 0) pieces[index] = `${key}=${value}`
  else pieces.push(`${key}=${value}`)
  return pieces.join(',')
}

const UNITS: Record<string, number> = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 }

/** '32G' → bytes; a bare number is bytes. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([KMGT]?)$/.exec(text)
  return match ? Math.round(Number(match[1]) * (UNITS[match[2] ?? ''] ?? 1)) : undefined
}

/** Bytes → the largest unit without a fraction, as PVE writes `size=`. */
export function formatSize(bytes: number): string {
  for (const unit of ['T', 'G', 'M', 'K']) {
    const one = UNITS[unit] ?? 1
    if (bytes >= one && bytes % one === 0) return `${bytes / one}${unit}`
  }
  return String(bytes)
}

/** Bytes → '1.2 GiB', as task logs print it. */
export function humanSize(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${value.toFixed(1)} ${units[unit]}`
}

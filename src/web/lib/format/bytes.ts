const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** 1610612736 → "1.5 GiB" */
export function formatBytes(bytes: number): string {
  const size = Math.max(0, bytes)
  const power = size < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(size) / 10))
  const value = size / 1024 ** power
  const digits = power === 0 || value >= 100 ? 0 : 1
  const text = new Intl.NumberFormat('en-US', { maximumFractionDigits: digits }).format(value)
  return `${text} ${UNITS[power] ?? 'B'}`
}

/** Bytes per second. */
export const formatRate = (bytes: number): string => `${formatBytes(bytes)}/s`

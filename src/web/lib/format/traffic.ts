const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** 1250000000 → "1.25 GB": traffic is sold in powers of ten. */
export function formatTraffic(bytes: number): string {
  const size = Math.max(0, bytes)
  const power = size < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(size) / 3))
  const value = size / 1000 ** power
  const digits = power === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2
  const text = new Intl.NumberFormat('en-US', { maximumFractionDigits: digits }).format(value)
  return `${text} ${UNITS[power] ?? 'B'}`
}

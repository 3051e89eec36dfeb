/** One line of the table. */
export type Figure = { what: string; measured: string; limit: string; isWithin: boolean }

export function atMost(what: string, value: number, limit: number, unit: string): Figure {
  const show = (n: number) => `${n >= 100 ? Math.round(n) : Math.round(n * 100) / 100} ${unit}`
  return { what, measured: show(value), limit: `≤ ${show(limit)}`, isWithin: value <= limit }
}

export function atLeast(what: string, value: number, limit: number): Figure {
  const show = (n: number) => String(Math.round(n * 1000) / 1000)
  return { what, measured: show(value), limit: `≥ ${show(limit)}`, isWithin: value >= limit }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export const percentile95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

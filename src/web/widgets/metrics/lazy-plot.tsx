import { lazy, Suspense } from 'react'
import { ErrorBoundary } from '../../ui/feedback/error-boundary.tsx'
import { Skeleton } from '../../ui/indicator/skeleton.tsx'
import { knownLanguage } from './known-language.ts'
import type { PlotProps } from './plot.tsx'

// uPlot is loaded when the first line is drawn.
const Plot = lazy(async () => {
  knownLanguage(navigator)
  return { default: (await import('./plot.tsx')).Plot }
})

const HEIGHTS: Record<number, string> = { 40: 'h-10', 160: 'h-40' }

const NOT_DRAWN = 'This browser could not draw the line. The figures are in the table.'

/** `height`: 40 or 160, so that nothing moves when the drawing appears. */
export function LazyPlot(props: PlotProps & { height: 40 | 160 }) {
  return (
    <ErrorBoundary fallback={() => <p className="py-3 text-ink-soft text-xs">{NOT_DRAWN}</p>}>
      <Suspense fallback={<Skeleton className={HEIGHTS[props.height] ?? ''} />}>
        <Plot {...props} />
      </Suspense>
    </ErrorBoundary>
  )
}

import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'react'
import { useIsDark } from '../../lib/browser/use-is-dark.ts'

export type PlotProps = {
  columns: uPlot.AlignedData
  top: number
  height: number
  /** What the chart shows, in words; the figures are in the table. */
  label: string
  /** Without it the line is drawn without axes. */
  format?: (value: number) => string
  isBinary?: boolean
  /** The pointer's position, as an index into the columns. */
  onHover?: (index: number | null) => void
}

const POWERS_OF_TWO = Array.from({ length: 50 }, (_, power) => 2 ** power)

const colour = (name: string) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()

function optionsOf(
  { top, height, format, isBinary, onHover }: PlotProps,
  width: number,
  lines: number,
) {
  const axis: uPlot.Axis = {
    stroke: colour('ink-soft'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
    font: '11px "IBM Plex Mono", monospace',
  }
  const looks: uPlot.Series[] = [
    { stroke: colour('ink'), width: 1.5, fill: colour('sunken') },
    { stroke: colour('ink-soft'), width: 1.5, dash: [4, 3] },
  ]
  const options: uPlot.Options = {
    width,
    height,
    legend: { show: false },
    cursor: format ? { y: false, points: { size: 6 } } : { show: false },
    scales: { y: { range: [0, top] } },
    series: [{}, ...looks.slice(0, lines).map((look) => ({ ...look, points: { show: false } }))],
    axes: format
      ? [
          axis,
          {
            ...axis,
            size: 84,
            values: (_, values) => values.map(format),
            ...(isBinary && { incrs: POWERS_OF_TWO }),
          },
        ]
      : [{ show: false }, { show: false }],
    hooks: { setCursor: [({ cursor }) => onHover?.(cursor.idx ?? null)] },
    // Space for half of the topmost figure and of the last time, which are centred on their lines.
    padding: format ? [10, 22, 0, 0] : [2, 0, 2, 0],
  }
  return options
}

/** uPlot draws on a canvas: it is created again when the data or the theme changes. */
export function Plot(props: PlotProps) {
  const { columns, top, height, label, format, isBinary, onHover } = props
  const box = useRef<HTMLDivElement>(null)
  const isDark = useIsDark()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme is read from the page, the label is not drawn
  useEffect(() => {
    const element = box.current
    if (!element) return
    const options = optionsOf(props, element.clientWidth, columns.length - 1)
    const plot = new uPlot(options, columns, element)
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0) plot.setSize({ width: element.clientWidth, height })
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [columns, top, height, format, isBinary, onHover, isDark])
  return <div ref={box} role="img" aria-label={label} className="w-full min-w-0 overflow-hidden" />
}

import { useMemo } from 'react'
import { encode } from 'uqr'

/** Dark on light in both themes: many scanners read nothing else. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => drawingOf(text), [text])
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="block w-full"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#111" />
    </svg>
  )
}

function drawingOf(text: string): { size: number; path: string } {
  const { size, data } = encode(text, { ecc: 'M', border: 3 })
  const dots = data.flatMap((row, y) =>
    row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')),
  )
  return { size, path: dots.join('') }
}

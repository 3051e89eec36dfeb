import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { type KeyboardEvent, useRef, useState } from 'react'
import {
  type AddressState,
  MAP_SIZE,
  type Pool,
  type PoolAddress,
} from '#shared/api/servers/pools.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { Button } from '../../ui/form/button.tsx'
import { Skeleton } from '../../ui/indicator/skeleton.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { addressText, isDoubtful, STATE_WORDS } from './address-words.ts'

/** Told apart by shape too: filled, framed, half and hatched. */
export const STATE_LOOK: Record<AddressState, string> = {
  used: 'border-good-mark bg-good-mark',
  held: 'border-2 border-good-mark bg-good-soft',
  cooling: 'border-warn-mark bg-linear-to-t from-50% from-warn-mark to-50% to-transparent',
  reserved:
    'border-idle-mark text-idle-mark bg-[repeating-linear-gradient(45deg,currentColor_0_1px,transparent_1px_4px)]',
  free: 'border-line bg-sunken',
}

/** Every address of the ranges as one small square. */
export function PoolMap({ pool }: { pool: Pool }) {
  const [offset, setOffset] = useState(0)
  const params = { id: pool.id }
  const page = useQuery(query(api.pools.addresses, { params, query: { offset, limit: MAP_SIZE } }))
  return (
    <ListState
      query={page}
      failure="The addresses could not be loaded"
      skeleton={<Skeleton className="h-44" />}
    >
      {({ addresses, total, outside }) => (
        <div className="space-y-4">
          {addresses.length > 0 && (
            <Squares key={offset} label={`Addresses of ${pool.name}`} list={addresses} />
          )}
          {total > MAP_SIZE && (
            <nav aria-label={`Parts of ${pool.name}`} className="flex items-center gap-2">
              <Button
                size="sm"
                disabled={offset === 0}
                onClick={() => setOffset(Math.max(0, offset - MAP_SIZE))}
              >
                Lower
              </Button>
              <Button
                size="sm"
                disabled={offset + MAP_SIZE >= total}
                onClick={() => setOffset(offset + MAP_SIZE)}
              >
                Higher
              </Button>
              <span className="font-mono text-ink-soft text-sm">
                {addresses[0]?.address} – {addresses.at(-1)?.address}
              </span>
            </nav>
          )}
          {outside.length > 0 && <Outside list={outside} />}
        </div>
      )}
    </ListState>
  )
}

const STEPS: Record<string, (columns: number) => number> = {
  ArrowLeft: () => -1,
  ArrowRight: () => 1,
  ArrowUp: (columns) => -columns,
  ArrowDown: (columns) => columns,
}

/** One stop for the tab key; the arrows move inside, and the line below says what is pointed at. */
function Squares({ label, list }: { label: string; list: readonly PoolAddress[] }) {
  const grid = useRef<HTMLFieldSetElement>(null)
  const [current, setCurrent] = useState(0)
  const shown = list[current]

  function move(event: KeyboardEvent) {
    const step = STEPS[event.key]
    if (!step || !grid.current) return
    event.preventDefault()
    const columns = getComputedStyle(grid.current).gridTemplateColumns.split(' ').length
    const next = Math.min(Math.max(current + step(columns), 0), list.length - 1)
    setCurrent(next)
    grid.current.querySelectorAll('button')[next]?.focus()
  }

  return (
    <div>
      <fieldset
        ref={grid}
        aria-label={label}
        className="grid grid-cols-16 gap-0.5 sm:gap-1 md:grid-cols-32"
        onKeyDown={move}
      >
        {list.map((one, index) => (
          <button
            key={one.address}
            type="button"
            tabIndex={index === current ? 0 : -1}
            aria-label={addressText(one)}
            title={addressText(one)}
            onFocus={() => setCurrent(index)}
            onPointerEnter={() => setCurrent(index)}
            className={clsx(
              'aspect-square rounded-sm border',
              isDoubtful(one) ? 'border-bad-mark bg-bad-mark' : STATE_LOOK[one.state],
            )}
          />
        ))}
      </fieldset>
      <p className="mt-3 min-h-5 break-words text-sm">{shown && addressText(shown)}</p>
    </div>
  )
}

/** In the network, but in no range: gateways, nodes, and servers from before a range was cut. */
function Outside({ list }: { list: readonly PoolAddress[] }) {
  return (
    <details>
      <summary className="cursor-pointer text-ink-soft text-sm">
        {list.length} more outside the ranges
      </summary>
      <ul className="mt-2 space-y-1 text-sm">
        {list.map((one) => (
          <li key={one.address} className="break-words">
            <span className="font-semibold">{STATE_WORDS[one.state]}</span>: {addressText(one)}
          </li>
        ))}
      </ul>
    </details>
  )
}

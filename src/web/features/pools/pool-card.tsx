import clsx from 'clsx'
import { useState } from 'react'
import type { Pool } from '#shared/api/servers/pools.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Card, CardBody, CardHeader } from '../../ui/layout/card.tsx'
import { Confirm } from '../../ui/overlay/confirm.tsx'
import { May } from '../../widgets/facts/may.tsx'
import { EditDelete } from '../../widgets/list/edit-delete.tsx'
import { STATE_HINTS, STATE_WORDS, STATES } from './address-words.ts'
import { PoolDialog } from './pool-dialog.tsx'
import { PoolMap, STATE_LOOK } from './pool-map.tsx'

type PoolProps = { pool: Pool }

export function PoolCard({ pool }: PoolProps) {
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const close = () => setOpen(undefined)
  return (
    <Card aria-label={pool.name}>
      <CardHeader
        title={pool.name}
        description={
          <>
            {pool.clusterName} · <span className="font-mono">{pool.cidr}</span> · {pool.bridge}
            {pool.vlan !== null && `, VLAN ${pool.vlan}`} · gateway{' '}
            <span className="font-mono">{pool.gateway}</span>
          </>
        }
        action={
          <May duty="run">
            <EditDelete
              name={pool.name}
              onEdit={() => setOpen('edit')}
              onDelete={() => setOpen('delete')}
            />
          </May>
        }
      />
      <CardBody className="space-y-5">
        {pool.ranges.length === 0 ? (
          <Note tone="warn">
            Proposed only: clients get no address of it until you enter a range that is free for
            them.
          </Note>
        ) : (
          <Legend pool={pool} />
        )}
        <PoolMap pool={pool} />
      </CardBody>
      {open === 'edit' && <PoolDialog pool={pool} onClose={close} />}
      {open === 'delete' && <DeletePool pool={pool} onClose={close} />}
    </Card>
  )
}

/** What the squares mean, and how many there are of each. */
function Legend({ pool }: PoolProps) {
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-2">
      {STATES.map((state) => (
        <div key={state} className="flex items-center gap-2" title={STATE_HINTS[state]}>
          <dt className="flex items-center gap-2">
            <span
              aria-hidden="true"
              className={clsx('size-4 shrink-0 rounded-sm border', STATE_LOOK[state])}
            />
            {STATE_WORDS[state]}
          </dt>
          <dd className="font-mono font-semibold">{pool.counts[state].toLocaleString('en')}</dd>
        </div>
      ))}
    </dl>
  )
}

function DeletePool({ pool, onClose }: PoolProps & { onClose: () => void }) {
  const remove = useAction(api.pools.remove, {
    done: 'Pool deleted successfully',
    failed: 'Error',
    refresh: [api.pools.list],
  })
  const confirm = async () => {
    const { ok } = await remove.run({ params: { id: pool.id } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete ${pool.name}?`}
      action="Delete"
      isDangerous
      onConfirm={() => void confirm()}
      isPending={remove.isPending}
    >
      Its addresses are no longer handed out. While a server or a token has one, it cannot be
      deleted; take its ranges away instead.
    </Confirm>
  )
}

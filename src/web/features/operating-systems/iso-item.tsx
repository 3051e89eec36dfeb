import { type FormEvent, useState } from 'react'
import type { Iso, IsoVolume } from '#shared/api/servers/isos.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/form/button.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { Badge } from '../../ui/indicator/badge.tsx'

const REFRESH = [api.isos.volumes, api.isos.list]
const MOST_LETTERS = 60

type ItemProps = { clusterId: number; file: IsoVolume }

/** One image in a cluster, on offer or not. */
export function IsoItem({ clusterId, file }: ItemProps) {
  const { volume, nodes, iso } = file
  const [isNaming, setNaming] = useState(false)
  if (isNaming && !iso) {
    return (
      <li className="px-5 py-4">
        <OfferForm clusterId={clusterId} file={file} onClose={() => setNaming(false)} />
      </li>
    )
  }
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3">
      <div className="min-w-0 flex-1 basis-40">
        {iso && (
          <p className="flex flex-wrap items-center gap-2">
            <span className="break-words font-semibold">{iso.name}</span>
            {nodes?.length === 0 && <Badge tone="warn">No longer in the cluster</Badge>}
          </p>
        )}
        <p className="break-all text-ink-soft">
          {volume}
          {nodes && nodes.length > 0 && `, on ${nodes.join(', ')}`}
        </p>
      </div>
      {iso ? (
        <Offered iso={iso} onWithdrawn={() => setNaming(false)} />
      ) : (
        <Button size="sm" aria-label={`Offer ${volume}`} onClick={() => setNaming(true)}>
          Offer
        </Button>
      )}
    </li>
  )
}

function Offered({
  iso: { id, name, isRescue },
  onWithdrawn,
}: {
  iso: Iso
  onWithdrawn: () => void
}) {
  const update = useAction(api.isos.update, {
    done: isRescue
      ? 'There is no rescue system now'
      : { title: 'Rescue system', description: name },
    failed: 'Nothing was changed',
    refresh: REFRESH,
  })
  const remove = useAction(api.isos.remove, {
    done: { title: 'No longer on offer', description: name },
    failed: 'It is still on offer',
    refresh: REFRESH,
  })
  const withdraw = async () => {
    const { ok } = await remove.run({ params: { id } })
    if (ok) onWithdrawn()
  }
  return (
    <>
      <span className="flex items-center gap-2">
        <Switch
          checked={isRescue}
          disabled={update.isPending}
          aria-label={`${name} is the rescue system`}
          onChange={({ target }) =>
            void update.run({ params: { id }, body: { isRescue: target.checked } })
          }
        />
        Rescue system
      </span>
      <Button
        size="sm"
        variant="ghost"
        aria-label={`Withdraw ${name}`}
        isPending={remove.isPending}
        onClick={() => void withdraw()}
      >
        Withdraw
      </Button>
    </>
  )
}

function OfferForm({ clusterId, file: { volume }, onClose }: ItemProps & { onClose: () => void }) {
  const [name, setName] = useState(nameFrom(volume))
  const offer = useAction(api.isos.create, {
    done: { title: 'On offer', description: name },
    failed: 'The image was not put on offer',
    refresh: REFRESH,
  })
  const save = async (event: FormEvent) => {
    event.preventDefault()
    const { ok } = await offer.run({ body: { clusterId, volume, name, isRescue: false } })
    if (ok) onClose()
  }
  return (
    <form className="space-y-3" onSubmit={(event) => void save(event)}>
      <TextField
        label="Name that clients see"
        hint={volume}
        required
        maxLength={MOST_LETTERS}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <div className="flex gap-2">
        <Button type="submit" variant="primary" size="sm" isPending={offer.isPending}>
          Offer
        </Button>
        <Button size="sm" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

/** `local:iso/debian-12.11.0-amd64.iso` is `debian-12.11.0-amd64`. */
const nameFrom = (volume: string) =>
  volume
    .replace(/^.*\//, '')
    .replace(/\.(iso|img)$/i, '')
    .slice(0, MOST_LETTERS)

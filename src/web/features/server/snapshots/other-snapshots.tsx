import type { Snapshots } from '#shared/api/servers/snapshots.ts'
import { exactTime } from '../../../lib/format/time.ts'

/** Made by the operator in Proxmox itself: shown, and not touched from here. */
export function OtherSnapshots({ others }: Pick<Snapshots, 'others'>) {
  if (others === null) {
    return (
      <p className="border-t px-5 py-4 text-ink-soft">
        The cluster does not answer: snapshots made in Proxmox are not shown.
      </p>
    )
  }
  if (others.length === 0) return null
  return (
    <section aria-label="Made in Proxmox" className="border-t px-5 py-4">
      <h3 className="font-semibold">Made in Proxmox</h3>
      <p className="text-ink-soft">
        By the operator. They do not count towards your limit and are not deleted.
      </p>
      <ul className="mt-2 space-y-1">
        {others.map(({ name, takenAt }) => (
          <li key={name} className="flex flex-wrap gap-x-3">
            <span className="break-all font-mono">{name}</span>
            {takenAt !== null && (
              <span className="text-ink-soft">{exactTime(new Date(takenAt))}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

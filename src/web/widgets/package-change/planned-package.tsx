import type { Server } from '#shared/api/overview/servers.ts'
import type { PlannedPackage as Planned } from '#shared/api/shop/package-change.ts'
import { useMe } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/form/button.tsx'
import { SERVER_CHANGED } from '../instance/server-changed.ts'
import { plannedWords } from './change-words.ts'

type PlannedPackageProps = { server: Pick<Server, 'id' | 'label' | 'operator'>; next: Planned }

/** The package of the next term, and the way to keep the present one. */
export function PlannedPackage({ server, next }: PlannedPackageProps) {
  const { isSimulated = false } = useMe()
  const keep = useAction(api.packageChange.keep, {
    done: { title: 'The present package is kept', description: server.label },
    failed: 'The planned package was not given up',
    refresh: SERVER_CHANGED,
  })
  const canKeep = next.from === null && server.operator === null && !isSimulated
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 border-t px-5 py-3">
      <p className="min-w-0 flex-1 basis-48">
        <span className="block text-ink-soft">Next package</span>
        {plannedWords(next)}
      </p>
      {canKeep && (
        <Button
          size="sm"
          isPending={keep.isPending}
          aria-label={`Keep the present one: ${server.label}`}
          onClick={() => void keep.run({ params: { id: server.id } })}
        >
          Keep the present one
        </Button>
      )}
    </div>
  )
}

import { Suspense, useState } from 'react'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { canMakeKeys } from '../../../lib/ssh/make-key.ts'
import { Segments } from '../../../ui/form/segments.tsx'
import { Loading, Skeleton } from '../../../ui/indicator/skeleton.tsx'
import { Dialog } from '../../../ui/overlay/dialog.tsx'
import type { KeyFields } from './key-form.ts'
import { MakeKey } from './make-key.tsx'
import { PasteKey } from './paste-key.tsx'

const WAYS = [
  { value: 'paste', label: 'Paste a key' },
  { value: 'make', label: 'Make one in the browser' },
]

export function AddKeyDialog({ onClose }: { onClose: () => void }) {
  const [way, setWay] = useState('paste')
  const [canMake] = useState(canMakeKeys)
  /** A private half exists in this dialog only: from then on it closes by its buttons. */
  const [isMade, setMade] = useState(false)
  const add = useAction(api.sshKeys.add, {
    done: ({ name }) => ({ title: 'SSH key added', description: name }),
    failed: 'The key was not added',
    refresh: [api.sshKeys.list, api.account.activity],
  })
  const ring = {
    add: async (body: KeyFields) => (await add.run({ body })).ok,
    isAdding: add.isPending,
  }
  return (
    <Dialog isOpen isSticky={isMade} onClose={onClose} title="Add SSH key">
      {!isMade && (
        <div className="mb-5">
          <Segments label="Way" options={WAYS} value={way} onChange={setWay} />
        </div>
      )}
      {way === 'paste' ? (
        <PasteKey ring={ring} onClose={onClose} />
      ) : (
        <Suspense
          fallback={
            <Loading>
              <Skeleton className="h-40 w-full" />
            </Loading>
          }
        >
          <MakeKey ring={ring} canMake={canMake} onMade={() => setMade(true)} onClose={onClose} />
        </Suspense>
      )}
    </Dialog>
  )
}

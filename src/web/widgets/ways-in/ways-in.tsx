import { useQuery } from '@tanstack/react-query'
import { ShieldAlert } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import { mendBy } from '../../api/proof.ts'
import { query } from '../../api/query.ts'
import { isProofMissing } from '../../api/refusal-details.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { Button } from '../../ui/form/button.tsx'
import { RelativeTime } from '../time/relative-time.tsx'

const ProofDialog = lazyPage(() => import('./proof-dialog.tsx'), 'ProofDialog')

/** What concerns the ways into this account on every page. */
export function WaysIn() {
  return (
    <>
      <ProofRegion />
      <RecoveryBanner />
    </>
  )
}

type Asking = { answer: (isProven: boolean) => void }

/** Asks for a code when a call was refused for want of one: once for all that are refused meanwhile. */
function ProofRegion() {
  const [asking, setAsking] = useState<Asking>()
  useEffect(() => {
    let open: Promise<boolean> | undefined
    mendBy(async (error) => {
      if (!isProofMissing(error)) return false
      open ??= new Promise<boolean>((answer) => setAsking({ answer })).finally(() => {
        open = undefined
      })
      return await open
    })
    return () => mendBy(undefined)
  }, [])
  if (!asking) return null
  const close = (isProven: boolean) => {
    setAsking(undefined)
    asking.answer(isProven)
  }
  return (
    <Suspense>
      <ProofDialog onClose={close} />
    </Suspense>
  )
}

/** Shown in every open session while a recovery waits: its owner can stop it. */
function RecoveryBanner() {
  const { data } = useQuery(query(api.recovery.state))
  const stop = useAction(api.recovery.stop, {
    done: {
      title: 'Recovery stopped',
      description: 'If it was not yours, make a new recovery kit: somebody knows the words.',
    },
    failed: 'The recovery was not stopped',
    refresh: [api.recovery.state, api.account.activity],
  })
  if (!data?.availableAt) return null
  return (
    <aside
      aria-label="Recovery"
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b bg-bad-soft px-4 py-2 text-bad sm:px-6"
    >
      <p className="flex min-w-0 flex-1 basis-64 items-center gap-2">
        <ShieldAlert aria-hidden="true" className="size-4 shrink-0" />
        <span>
          Somebody uses your recovery kit. Unless you stop it, a new password is in force{' '}
          <RelativeTime at={data.availableAt} />, and you are signed out everywhere.
        </span>
      </p>
      <Button size="sm" onClick={() => void stop.run()} isPending={stop.isPending}>
        Stop it
      </Button>
    </aside>
  )
}

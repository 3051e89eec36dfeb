import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { calendarDay } from '../../lib/format/time.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { Copy } from '../facts/copy.tsx'
import { ListState } from '../list/list-state.tsx'

type PaymentLinkDialogProps = { token: { id: number; label: string }; onClose: () => void }

/** Makes, replaces and revokes the link that renews a server without signing in. */
export function PaymentLinkDialog({ token, onClose }: PaymentLinkDialogProps) {
  const params = { id: token.id }
  const link = useQuery({ ...query(api.paymentLinks.get, { params }), staleTime: 0 })
  const [url, setUrl] = useState<string>()
  const refresh = [api.paymentLinks.get]
  const create = useAction(api.paymentLinks.create, {
    failed: 'The payment link was not made',
    refresh,
  })
  const revoke = useAction(api.paymentLinks.remove, {
    done: { title: 'Payment link revoked', description: token.label },
    failed: 'The payment link was not revoked',
    refresh,
  })
  async function make() {
    const outcome = await create.run({ params })
    if (outcome.ok) setUrl(new URL(outcome.result.url, location.origin).href)
  }
  async function end() {
    const { ok } = await revoke.run({ params })
    if (ok) setUrl(undefined)
  }
  const hasLink = link.data !== undefined && link.data.createdAt !== null
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Payment link of ${token.label}`}
      description="Who has the link can renew this server without signing in. The page shows its label, its plan, until when it is paid and its price; never its address or your account."
      footer={
        <>
          {hasLink && (
            <Button variant="danger" isPending={revoke.isPending} onClick={() => void end()}>
              Revoke
            </Button>
          )}
          <Button isPending={create.isPending} disabled={!link.data} onClick={() => void make()}>
            {hasLink ? 'Make a new link' : 'Make a link'}
          </Button>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <ListState query={link} failure="The payment link could not be loaded">
        {({ createdAt }) => (
          <div className="space-y-3">
            {url ? (
              <>
                <p className="flex items-start justify-between gap-3 rounded-sm border px-3 py-2">
                  <span className="min-w-0 break-all pt-1 font-mono">{url}</span>
                  <Copy value={url} label="Copy the payment link" className="-mr-2" />
                </p>
                <Note>Copy it now: only a hash of it is stored.</Note>
              </>
            ) : (
              <p>
                {createdAt
                  ? `There is a link, made on ${calendarDay(new Date(createdAt))}. A new one ends it.`
                  : 'There is no link yet.'}
              </p>
            )}
          </div>
        )}
      </ListState>
    </Dialog>
  )
}

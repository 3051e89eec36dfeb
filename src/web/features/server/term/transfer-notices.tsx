import { ArrowRightLeft, KeyRound } from 'lucide-react'
import type { Server } from '#shared/api/overview/servers.ts'
import { useMe } from '../../../api/session.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { exactTime } from '../../../lib/format/time.ts'
import { Notice } from '../../../ui/feedback/notice.tsx'
import { Button } from '../../../ui/form/button.tsx'

/** A code that is open, and a login that is not in force yet. */
export function TransferNotices({ server }: { server: Server }) {
  const { transfer, isLoginPending, operator } = server
  return (
    <>
      {transfer && <OpenCode server={server} expiresAt={transfer.expiresAt} />}
      {isLoginPending && (
        <Notice tone="idle" icon={KeyRound} title="The login is being replaced">
          {operator
            ? 'It was handed over. Its new owner sees the login once it is in force.'
            : 'The server restarts with it; then you find it below. The former owner could have left a way in: reinstall the server to be sure.'}
        </Notice>
      )}
    </>
  )
}

function OpenCode({ server, expiresAt }: { server: Server; expiresAt: string }) {
  const { isSimulated = false } = useMe()
  const withdraw = useAction(api.servers.withdrawOffer, {
    done: { title: 'Code withdrawn', description: server.label },
    failed: 'The code was not withdrawn',
    refresh: [api.servers.get, api.servers.activity],
  })
  return (
    <Notice
      tone="idle"
      icon={ArrowRightLeft}
      title="A code to hand this server over is open"
      action={
        !server.operator &&
        !isSimulated && (
          <Button
            size="sm"
            isPending={withdraw.isPending}
            aria-label={`Withdraw the code of ${server.label}`}
            onClick={() => void withdraw.run({ params: { id: server.id } })}
          >
            Withdraw
          </Button>
        )
      }
    >
      Until {exactTime(new Date(expiresAt))}, the first account to enter it gets the server.
    </Notice>
  )
}

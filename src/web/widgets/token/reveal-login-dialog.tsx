import { useState } from 'react'
import type { Token } from '#shared/api/shop/tokens.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { Facts, MachineFact } from '../facts/facts.tsx'

/** The holder of the login: a server, or a token that is not sold yet. */
type Holder = { kind: 'instance' | 'token'; id: number; hasClient: boolean }

export const revealOf = (token: Pick<Token, 'id' | 'assignedInstanceId'>): Holder =>
  token.assignedInstanceId === null
    ? { kind: 'token', id: token.id, hasClient: false }
    : { kind: 'instance', id: token.assignedInstanceId, hasClient: true }

type RevealLoginDialogProps = { of: Holder; token: { name: string }; onClose: () => void }

/** Lists carry no passwords: an operator reveals one at a time, and each reveal is recorded. */
export function RevealLoginDialog({ of, token: { name }, onClose }: RevealLoginDialogProps) {
  const [login, setLogin] = useState<{ username: string; password: string }>()
  const options = { failed: 'The login was not revealed' }
  const ofInstance = useAction(api.instances.reveal, options)
  const ofToken = useAction(api.tokens.reveal, options)
  const reveal = of.kind === 'instance' ? ofInstance : ofToken
  const show = async () => {
    const outcome = await reveal.run({ params: { id: of.id } })
    if (outcome.ok) setLogin(outcome.result)
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Reveal login"
      description={name}
      footer={
        <>
          <Button onClick={onClose}>{login ? 'Close' : 'Cancel'}</Button>
          {!login && (
            <Button variant="primary" isPending={reveal.isPending} onClick={() => void show()}>
              Reveal
            </Button>
          )}
        </>
      }
    >
      {login ? (
        <Facts>
          <MachineFact of={name} term="Username" value={login.username} otherwise="None" />
          <MachineFact of={name} term="Password" value={login.password} otherwise="None" />
        </Facts>
      ) : (
        <p>
          {of.hasClient
            ? 'This is recorded in the audit log, and the client sees it in their activity.'
            : 'This is recorded in the audit log.'}
        </p>
      )}
    </Dialog>
  )
}

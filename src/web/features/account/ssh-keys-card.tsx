import { useQuery } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { SshKey } from '#shared/api/people/ssh-keys.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { count } from '../../lib/format/words.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Badge } from '../../ui/indicator/badge.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { Copy } from '../../widgets/facts/copy.tsx'
import { AskedButton } from '../../widgets/list/asked-button.tsx'
import { CardList } from '../../widgets/list/card-list.tsx'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'
import { SimulatedNote } from './simulated-note.tsx'

const AddKeyDialog = lazyPage(() => import('./ssh-keys/add-key-dialog.tsx'), 'AddKeyDialog')

/** The account's ring of public keys. */
export function SshKeysCard({ isSimulated }: { isSimulated: boolean }) {
  const keys = useQuery(query(api.sshKeys.list))
  const [isAdding, setAdding] = useState(false)
  return (
    <Card>
      <CardHeader
        title="SSH keys"
        description="Public keys for new servers: you choose them when you order one."
        action={
          <Button size="sm" disabled={isSimulated} onClick={() => setAdding(true)}>
            <Plus aria-hidden="true" className="size-4" />
            Add key
          </Button>
        }
      />
      <CardList
        query={keys}
        failure="Your SSH keys could not be loaded"
        empty={
          <EmptyState icon={KeyRound} title="No SSH keys yet">
            With a key on it, a server lets you in without a password.
          </EmptyState>
        }
      >
        {(key) => <KeyItem key={key.id} sshKey={key} isSimulated={isSimulated} />}
      </CardList>
      {isSimulated && (
        <div className="border-t">
          <SimulatedNote />
        </div>
      )}
      {isAdding && (
        <Suspense>
          <AddKeyDialog onClose={() => setAdding(false)} />
        </Suspense>
      )}
    </Card>
  )
}

function KeyItem({ sshKey, isSimulated }: { sshKey: SshKey; isSimulated: boolean }) {
  const { name, type, fingerprint, servers, createdAt } = sshKey
  return (
    <li className="flex items-start justify-between gap-4 py-3">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="break-words font-semibold">{name}</span>
          <Badge>{type.replace('@openssh.com', '')}</Badge>
        </p>
        <p className="flex items-center">
          <span className="min-w-0 break-all font-mono text-xs">{fingerprint}</span>
          <Copy value={fingerprint} label={`Copy fingerprint of ${name}`} className="-my-1 ml-1" />
        </p>
        <p className="text-ink-soft text-xs">
          On {servers === 0 ? 'no server' : count(servers, 'server')}, added{' '}
          <RelativeTime at={createdAt} />
        </p>
      </div>
      <RemoveButton sshKey={sshKey} isSimulated={isSimulated} />
    </li>
  )
}

function RemoveButton({ sshKey, isSimulated }: { sshKey: SshKey; isSimulated: boolean }) {
  const { id, name, servers } = sshKey
  const remove = useAction(api.sshKeys.remove, {
    done: { title: 'SSH key removed', description: name },
    failed: 'The key was not removed',
    refresh: [api.sshKeys.list, api.account.activity],
  })
  return (
    <AskedButton
      verb="Remove"
      name={name}
      isDisabled={isSimulated}
      isPending={remove.isPending}
      act={() => remove.run({ params: { id } })}
    >
      New servers can no longer be made with it. Servers made with it keep it
      {servers > 0 && ` (${count(servers, 'server')})`}. To lock it out there, delete its line in
      ~/.ssh/authorized_keys.
    </AskedButton>
  )
}

import { useQuery } from '@tanstack/react-query'
import { FingerprintPattern, Plus } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { Passkey } from '#shared/api/people/passkeys.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { hasPasskeys } from '../../lib/browser/passkeys.ts'
import { calendarDay } from '../../lib/format/time.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Card, CardBody, CardHeader } from '../../ui/layout/card.tsx'
import { AskedButton } from '../../widgets/list/asked-button.tsx'
import { CardList } from '../../widgets/list/card-list.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'
import { SimulatedNote } from './simulated-note.tsx'

const AddPasskeyDialog = lazyPage(
  () => import('./second-factor/add-passkey-dialog.tsx'),
  'AddPasskeyDialog',
)

/** Devices that are used in place of a code; an account without codes has none. */
export function PasskeysCard({ isSimulated }: { isSimulated: boolean }) {
  const factor = useQuery({ ...query(api.secondFactor.state), enabled: !isSimulated })
  const [isAdding, setAdding] = useState(false)
  const canAdd = factor.data?.isOn === true && hasPasskeys()
  return (
    <Card>
      <CardHeader
        title="Passkeys"
        description="A fingerprint, a PIN or a security key, in place of a code of your app."
        action={
          canAdd && (
            <Button size="sm" onClick={() => setAdding(true)}>
              <Plus aria-hidden="true" className="size-4" />
              Add passkey
            </Button>
          )
        }
      />
      {isSimulated ? (
        <SimulatedNote />
      ) : (
        <ListState query={factor} failure="Your second factor could not be loaded">
          {({ isOn }) =>
            isOn ? (
              <PasskeyList />
            ) : (
              <CardBody>
                <p>Set up your second factor first. Then you can add passkeys to it.</p>
              </CardBody>
            )
          }
        </ListState>
      )}
      {isAdding && (
        <Suspense>
          <AddPasskeyDialog onClose={() => setAdding(false)} />
        </Suspense>
      )}
    </Card>
  )
}

function PasskeyList() {
  const passkeys = useQuery(query(api.passkeys.list))
  return (
    <CardList
      query={passkeys}
      failure="Your passkeys could not be loaded"
      empty={
        <EmptyState icon={FingerprintPattern} title="No passkeys yet">
          {hasPasskeys()
            ? 'A page that imitates ours cannot use one. The codes of your app still work.'
            : 'This browser offers none: Tor Browser and Mullvad Browser switch them off. The codes of your app work everywhere.'}
        </EmptyState>
      }
    >
      {(passkey) => <PasskeyItem key={passkey.id} passkey={passkey} />}
    </CardList>
  )
}

function PasskeyItem({ passkey }: { passkey: Passkey }) {
  const { id, name, address, lastUsedOn, createdAt } = passkey
  const remove = useAction(api.passkeys.remove, {
    done: { title: 'Passkey removed', description: name },
    failed: 'The passkey was not removed',
    refresh: [api.passkeys.list, api.account.activity],
  })
  return (
    <li className="flex items-start justify-between gap-4 py-3">
      <div className="min-w-0 space-y-1">
        <p className="break-words font-semibold">{name}</p>
        <p className="break-words text-ink-soft text-xs">
          {lastUsedOn === null ? 'Never used' : `Last used ${calendarDay(new Date(lastUsedOn))}`},
          added <RelativeTime at={createdAt} />
          {address !== location.hostname && `, for ${address}`}
        </p>
      </div>
      <AskedButton
        verb="Remove"
        name={name}
        isDisabled={false}
        isPending={remove.isPending}
        act={() => remove.run({ params: { id } })}
      >
        It is refused from now on. The codes of your app still work. Delete it on the device, too.
      </AskedButton>
    </li>
  )
}

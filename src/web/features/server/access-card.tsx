import { Suspense, useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import { useMe } from '../../api/session.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { connectionOf } from '../../lib/instance/connect.ts'
import { Button } from '../../ui/form/button.tsx'
import { Later } from '../../ui/indicator/later.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { Fact, Facts, MachineFact } from '../../widgets/facts/facts.tsx'
import { ConnectLine } from '../../widgets/instance/connect-line.tsx'

const RevealLoginDialog = lazyPage(
  () => import('../../widgets/token/reveal-login-dialog.tsx'),
  'RevealLoginDialog',
)

const PasswordDialog = lazyPage(() => import('./dialogs/password-dialog.tsx'), 'PasswordDialog')
const InstalledKeys = lazyPage(
  () => import('../../widgets/instance/installed-keys.tsx'),
  'InstalledKeys',
)
const HostKeys = lazyPage(() => import('../../widgets/instance/host-keys.tsx'), 'HostKeys')

const LATER = 'Known when it is ready'

/** How to sign in. */
export function AccessCard({ server }: { server: Server }) {
  const { label, addresses, domain, username, osType, term } = server
  const isComing = term === 'pending'
  const none = isComing ? LATER : 'None'
  const connection = connectionOf({
    domain,
    clientIpAddress: addresses[0] ?? null,
    ipAddress: null,
    username: username ?? '',
    ...(osType !== null && { osType }),
  })
  return (
    <Card>
      <CardHeader title="Connect" />
      {connection && username && (
        <div className="border-b px-5 py-4">
          <p className="mb-1.5 text-ink-soft text-xs">Connect by {connection.how}</p>
          <ConnectLine connection={connection} />
        </div>
      )}
      <Facts className="px-5">
        {addresses.length === 0 && (
          <MachineFact of={label} term="Address" value={null} otherwise={none} />
        )}
        {addresses.map((address, index) => (
          <MachineFact
            key={address}
            of={label}
            term={addressTerm(address, index)}
            value={address}
            otherwise=""
          />
        ))}
        {domain && <MachineFact of={label} term="Domain" value={domain} otherwise="" />}
        <MachineFact of={label} term="Username" value={username} otherwise={none} />
        <Password server={server} />
        {server.sshKeys.length > 0 && (
          <Later className="my-2 h-7">
            <InstalledKeys keys={server.sshKeys} />
          </Later>
        )}
      </Facts>
      {connection?.how === 'SSH' && (
        // About as high as the keys, so that little moves when they come.
        <div
          className={`border-t px-5 py-3 ${server.hostKeys.length > 0 ? 'min-h-54' : 'min-h-20'}`}
        >
          <Later className="h-14">
            <HostKeys server={server} />
          </Later>
        </div>
      )}
    </Card>
  )
}

/** Below the address that leads to it from outside. */
function addressTerm(address: string, index: number): string {
  if (index === 0) return 'Address'
  return address.includes(':') ? 'IPv6 address' : 'Address of its network card'
}

function Password({ server }: { server: Server }) {
  const [open, setOpen] = useState<'new' | 'reveal'>()
  const close = () => setOpen(undefined)
  const { isSimulated = false } = useMe()
  const { id, label, can, operator } = server
  return (
    <Fact term="Password">
      {isSimulated ? (
        <span className="text-ink-soft">Hidden while simulating</span>
      ) : can.reveal.allowed ? (
        <div className="flex flex-wrap justify-end gap-2">
          <Button
            size="sm"
            aria-label={`Reveal the login of ${label}`}
            onClick={() => setOpen('reveal')}
          >
            Reveal
          </Button>
          <Button
            size="sm"
            disabled={!can.password.allowed}
            title={can.password.why ?? 'New password'}
            onClick={() => setOpen('new')}
          >
            New password
          </Button>
        </div>
      ) : (
        <span className="text-ink-soft">
          {server.sshKeys.length > 0 ? 'None: this server takes keys only' : can.reveal.why}
        </span>
      )}
      <Suspense>
        {open === 'reveal' && (
          <RevealLoginDialog
            of={{ kind: 'instance', id, hasClient: operator?.client != null }}
            token={{ name: label }}
            onClose={close}
          />
        )}
        {open === 'new' && <PasswordDialog server={server} onClose={close} />}
      </Suspense>
    </Fact>
  )
}

import type { Server } from '#shared/api/overview/servers.ts'
import { sshPortOf } from '#shared/rules/network/ssh-port.ts'
import { calendarDay } from '../../lib/format/time.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Copy } from '../facts/copy.tsx'
import { RelativeTime } from '../time/relative-time.tsx'

type HostKey = Server['hostKeys'][number]

/** As an SSH client names it: "ED25519 key fingerprint is SHA256:…". */
const kindOf = ({ type }: HostKey): string =>
  type.startsWith('ecdsa') ? 'ECDSA' : type.replace('ssh-', '').toUpperCase()

/** What an SSH client shows at the first sign-in, to compare with. */
export function HostKeys({ server }: { server: Server }) {
  const { hostKeys, label, status, addresses } = server
  const port = sshPortOf(addresses[0] ?? '')
  const times = hostKeys.map(({ lastSeenAt }) => lastSeenAt).sort()
  const lastSeen = times.at(-1)
  const lines = hostKeys.map(({ knownHosts }) => knownHosts).join('\n')
  return (
    <section aria-label="Host keys">
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h3 className="font-normal text-ink-soft">Host keys</h3>
        {lastSeen !== undefined && (
          <Copy
            hasText
            variant="secondary"
            size="sm"
            value={`${lines}\n`}
            label="Copy for known_hosts"
          />
        )}
      </div>
      {lastSeen === undefined ? (
        <p className="text-ink-soft">
          {status === 'running'
            ? `Not seen yet: the server does not answer on port ${port}.`
            : 'Not seen yet: the server is not running.'}
        </p>
      ) : (
        <>
          <Changed keys={hostKeys} />
          <ul className="space-y-1">
            {hostKeys.map((key) => (
              <li key={key.fingerprint} className="flex items-center justify-between gap-2">
                <span className="min-w-0">
                  <span className="text-ink-soft text-xs">
                    {kindOf(key)}, since {calendarDay(new Date(key.seenAt))}
                  </span>
                  <span className="block break-all font-mono text-xs">{key.fingerprint}</span>
                </span>
                <Copy
                  value={key.fingerprint}
                  label={`Copy the ${kindOf(key)} fingerprint of ${label}`}
                  className="-mr-2"
                />
              </li>
            ))}
          </ul>
          <p className="mt-2 text-ink-soft text-xs">
            Last seen <RelativeTime at={lastSeen} /> on port {port}, without signing in. Compare
            them with what your SSH client shows before you answer yes.
          </p>
        </>
      )}
    </section>
  )
}

function Changed({ keys }: { keys: readonly HostKey[] }) {
  const at = keys
    .flatMap(({ changedAt }) => changedAt ?? [])
    .sort()
    .at(-1)
  if (at === undefined) return null
  return (
    <Note tone="warn" className="my-2">
      Changed on {calendarDay(new Date(at))}: expected after a reinstall, a new hostname or a new
      password. Otherwise do not sign in.
    </Note>
  )
}

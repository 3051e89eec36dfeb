import type { Server } from '#shared/api/overview/servers.ts'
import { Fact } from '../facts/facts.tsx'

/** The keys that a server was made with. */
export function InstalledKeys({ keys }: { keys: Server['sshKeys'] }) {
  return (
    <Fact term="SSH keys">
      <ul className="space-y-1">
        {keys.map(({ fingerprint, name }) => (
          <li key={fingerprint}>
            {name ?? 'A key since removed from the account'}
            <span className="block break-all font-mono text-ink-soft text-xs">{fingerprint}</span>
          </li>
        ))}
      </ul>
    </Fact>
  )
}

import { CircleCheck } from 'lucide-react'
import type { Diagnosis } from '#shared/api/servers/clusters.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Copy } from '../../widgets/facts/copy.tsx'

/**
 * The privileges that the credentials lack, why they are needed, and the commands that grant them.
 */
export function PermissionReport({ diagnosis }: { diagnosis: Diagnosis }) {
  const { version, missing, optional, commands } = diagnosis
  if (missing.length === 0) {
    return (
      <div className="space-y-4">
        <p className="flex items-start gap-2">
          <CircleCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-good" />
          <span>
            Proxmox VE <span className="font-mono">{version}</span> answers, and these credentials
            may do everything that is needed.
          </span>
        </p>
        <Optional rights={optional} />
      </div>
    )
  }
  return (
    <div className="space-y-4">
      <Note tone="warn">
        Proxmox VE <span className="font-mono">{version}</span> answers, but these credentials lack
        permissions. What needs them will fail until they are granted.
      </Note>
      <ul className="divide-y border-y">
        {missing.map(({ path, privileges, why }) => (
          <li key={path} className="py-3">
            <p className="font-mono">{path}</p>
            <p className="mt-0.5 font-mono text-ink-soft text-xs">{privileges.join(', ')}</p>
            <p className="mt-1">Needed {why}.</p>
          </li>
        ))}
      </ul>
      {commands.length > 0 && <Commands commands={commands} />}
      <Optional rights={optional} />
    </div>
  )
}

/** Optional privileges, and what does not work without them. */
function Optional({ rights }: { rights: Diagnosis['optional'] }) {
  if (rights.length === 0) return null
  return (
    <div>
      <h3 className="font-semibold">Optional</h3>
      <ul className="mt-1 space-y-2">
        {rights.map(({ path, privileges, why, commands }) => (
          <li key={privileges.join()}>
            <p className="font-mono text-ink-soft text-xs">
              {privileges.join(', ')} on {path}
            </p>
            <p>{why}</p>
            {commands.length > 0 && <Commands commands={commands} />}
          </li>
        ))}
      </ul>
    </div>
  )
}

function Commands({ commands }: { commands: readonly string[] }) {
  return (
    <div>
      <div className="mt-1 mb-1.5 flex items-center justify-between">
        <h3 className="font-semibold">Run this as root on a node</h3>
        <Copy value={commands.join('\n')} label="Copy commands" hasText size="sm" />
      </div>
      <div className="rounded-md border bg-sunken px-3 py-2">
        {commands.map((command) => (
          <code key={command} className="block py-0.5 font-mono text-xs">
            {/* A line may break between two words, but not at a hyphen: "--roles" stays whole. */}
            {command.split(/(?<= )/).map((word, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one fixed string
              <span key={index} className="inline-block max-w-full whitespace-pre-wrap break-words">
                {word}
              </span>
            ))}
          </code>
        ))}
      </div>
    </div>
  )
}

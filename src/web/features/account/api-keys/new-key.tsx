import type { ApiKey } from '#shared/api/people/api-keys.ts'
import { Note } from '../../../ui/feedback/note.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Dialog } from '../../../ui/overlay/dialog.tsx'
import { Copy } from '../../../widgets/facts/copy.tsx'

type NewKeyProps = { made: ApiKey & { key: string }; onClose: () => void }

/** The key, which no later page shows. */
export function NewKey({ made, onClose }: NewKeyProps) {
  const { origin } = window.location
  const example = `curl -H 'Authorization: Bearer ${made.key}' ${origin}/api/auth/me`
  return (
    <Dialog
      isOpen
      isSticky
      onClose={onClose}
      title={`Key ${made.name}`}
      footer={
        <Button variant="primary" onClick={onClose}>
          I have the key
        </Button>
      }
    >
      <div className="space-y-4">
        <Note tone="warn">The key is shown only now. Copy it before you close this.</Note>
        <p className="flex items-center justify-between gap-3">
          <span className="min-w-0 break-all font-mono">{made.key}</span>
          <Copy value={made.key} label="Copy key" />
        </p>
        <Line label="A first call:" text={example} copy="Copy call" />
        <Line
          label="For an agent (MCP, with the key as its bearer token; it only reads until you add ?allow=changes):"
          text={`${origin}/api/mcp`}
          copy="Copy address for agents"
        />
      </div>
    </Dialog>
  )
}

function Line({ label, text, copy }: { label: string; text: string; copy: string }) {
  return (
    <div>
      <p className="mb-1 text-ink-soft">{label}</p>
      <p className="flex items-start justify-between gap-3 rounded-md bg-sunken p-3">
        <span className="min-w-0 break-all font-mono text-xs">{text}</span>
        <Copy value={text} label={copy} className="-my-2" />
      </p>
    </div>
  )
}

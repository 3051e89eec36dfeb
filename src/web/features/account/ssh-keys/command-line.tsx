import { Copy } from '../../../widgets/facts/copy.tsx'

/** A command for a terminal, copied with one press. */
export function CommandLine({ text }: { text: string }) {
  return (
    <div className="flex items-center justify-between gap-3 rounded-md border bg-sunken py-0.5 pr-0.5 pl-3">
      <code className="min-w-0 break-words font-mono text-xs">{text}</code>
      <Copy value={text} label={`Copy ${text}`} />
    </div>
  )
}

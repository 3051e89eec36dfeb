import type { Connection } from '../../lib/instance/connect.ts'
import { Copy } from '../facts/copy.tsx'

/** What is typed to sign in, with a button to copy it. */
export function ConnectLine({ connection }: { connection: Connection }) {
  return (
    <div className="flex min-w-0 flex-1 basis-64 items-center justify-between gap-3 rounded-sm bg-screen pr-1 pl-4 text-screen-ink">
      <span className="sr-only">Connect by {connection.how}</span>
      <code className="min-w-0 break-all font-mono">{connection.text}</code>
      <Copy
        value={connection.text}
        label={`Copy ${connection.text}`}
        className="text-screen-soft [&_svg]:text-screen-ink hover:bg-screen! hover:text-screen-ink! focus-visible:outline-screen-ink"
      />
    </div>
  )
}

import { Printer } from 'lucide-react'
import { brandName } from '../../../lib/browser/page-facts.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Copy } from '../../../widgets/facts/copy.tsx'

type RecoveryCodesProps = { codes: readonly string[]; onDone: () => void }

/** Shown this once. */
export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  return (
    <div className="space-y-5">
      <p>
        <strong className="font-semibold">Save these recovery codes now.</strong> Each works once in
        place of a code of the app, for example when the phone is lost. They are shown this once.
      </p>
      <ol className="grid gap-x-6 gap-y-1.5 font-mono font-semibold sm:grid-cols-2">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className="flex flex-wrap gap-2 print:hidden">
        <Button variant="primary" onClick={onDone}>
          I have saved these
        </Button>
        <Copy
          value={`${brandName} recovery codes\n${codes.join('\n')}\n`}
          label="Copy all"
          hasText
          variant="secondary"
          size="md"
        />
        <Button onClick={() => window.print()}>
          <Printer aria-hidden="true" className="size-4" />
          Print
        </Button>
      </div>
    </div>
  )
}

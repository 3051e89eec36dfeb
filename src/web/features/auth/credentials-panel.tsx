import { Download } from 'lucide-react'
import { Suspense, useEffect, useLayoutEffect, useRef } from 'react'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { brandName } from '../../lib/browser/page-facts.ts'
import { Button } from '../../ui/form/button.tsx'
import { Copy } from '../../widgets/facts/copy.tsx'
import { type Credentials, credentialsText, groupsOf } from './credentials-text.ts'

const QrCode = lazyPage(() => import('../../widgets/facts/qr-code.tsx'), 'QrCode')

type CredentialsPanelProps = {
  credentials: Credentials
  onSaved: () => void
  /** Saved, too; goes on to the recovery kit. */
  onKit: () => void
  isLeaving: boolean
}

/** Shows the new username and password, which must not be lost. */
export function CredentialsPanel({
  credentials,
  onSaved,
  onKit,
  isLeaving,
}: CredentialsPanelProps) {
  const text = credentialsText(brandName, credentials)
  const heading = useRef<HTMLHeadingElement>(null)
  // The pressed button is gone; a screen reader must hear what replaced it.
  useEffect(() => {
    heading.current?.focus()
  }, [])
  useUnsavedWarning(!isLeaving)
  return (
    <div className="mx-auto max-w-3xl px-4 py-14">
      <h1 ref={heading} tabIndex={-1} className="text-xl outline-none">
        Save your username and password now
      </h1>
      <p className="mt-2 text-base text-ink-soft">
        They are your whole account, and shown this once. We cannot send them to you again. A
        recovery kit, or an administrator, can set a new password.
      </p>
      <div className="mt-8 overflow-hidden rounded-md border bg-card sm:grid sm:grid-cols-[1fr_12rem]">
        <dl className="divide-y">
          <SecretLine term="Username" value={credentials.username} />
          <SecretLine term="Password" value={credentials.generatedPassword} />
        </dl>
        <figure className="flex flex-col items-center justify-center gap-2 border-t p-4 max-sm:mx-auto max-sm:w-56 max-sm:border-t-0 sm:border-t-0 sm:border-l">
          <div className="aspect-square w-full overflow-hidden rounded-sm border">
            <Suspense>
              <QrCode text={text} label="QR code with username and password" />
            </Suspense>
          </div>
          <figcaption className="text-center text-ink-soft text-xs">
            Scan to keep both on a phone
          </figcaption>
        </figure>
      </div>
      <div className="mt-4 flex flex-wrap gap-2">
        <Copy value={text} label="Copy both" hasText variant="secondary" size="md" />
        <DownloadButton
          text={text}
          name={`${brandName.toLowerCase()}-${credentials.username}.txt`}
        />
      </div>
      <div className="mt-8 border-t pt-6">
        <Button variant="primary" size="lg" onClick={onSaved} isPending={isLeaving}>
          {isLeaving ? 'One moment…' : 'I have saved these'}
        </Button>
        <p className="mt-4 text-ink-soft">
          A recovery kit is twelve words on a paper that set a new password when this one is lost.{' '}
          <button type="button" className="text-link" disabled={isLeaving} onClick={onKit}>
            Save, then make a recovery kit
          </button>
        </p>
      </div>
    </div>
  )
}

function SecretLine({ term, value }: { term: string; value: string }) {
  return (
    <div className="p-5">
      <dt className="text-ink-soft">{term}</dt>
      <dd className="mt-1 flex items-start justify-between gap-3">
        <span className="flex flex-wrap gap-x-0.5 font-mono font-semibold text-base sm:text-lg">
          {groupsOf(value).map((group, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one fixed string
            <span key={index}>{group}</span>
          ))}
        </span>
        <Copy value={value} label={`Copy ${term.toLowerCase()}`} className="-my-1 -mr-2" />
      </dd>
    </div>
  )
}

function DownloadButton({ text, name }: { text: string; name: string }) {
  function download() {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    const link = document.createElement('a')
    link.href = url
    link.download = name
    link.click()
    URL.revokeObjectURL(url)
  }
  return (
    <Button onClick={download}>
      <Download aria-hidden="true" className="size-4" />
      Download .txt
    </Button>
  )
}

/**
 * The browser asks before the tab with the only copy is closed. Set before the copy is drawn: there is no
 * moment in which it is shown and not guarded.
 */
function useUnsavedWarning(isUnsaved: boolean) {
  useLayoutEffect(() => {
    if (!isUnsaved) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isUnsaved])
}

import { FingerprintPattern } from 'lucide-react'
import { useState } from 'react'
import type { Assertion, RequestOptions } from '#shared/api/people/webauthn.ts'
import { sentenceOf } from '../../api/api-error.ts'
import { hasPasskeys, signWithPasskey } from '../../lib/browser/passkeys.ts'
import { Button } from '../../ui/form/button.tsx'

type PasskeyButtonProps = {
  /** What is to be signed; undefined if the server gave no reason to go on. */
  ask: () => Promise<RequestOptions | undefined>
  onSigned: (assertion: Assertion) => Promise<unknown>
  onFailure: (sentence: string) => void
  className?: string
}

/** In place of a code; nothing in a browser without passkeys. */
export function PasskeyButton({ ask, onSigned, onFailure, className }: PasskeyButtonProps) {
  const [isPending, setPending] = useState(false)
  if (!hasPasskeys()) return null

  async function use() {
    setPending(true)
    try {
      const options = await ask()
      if (options) await onSigned(await signWithPasskey(options))
    } catch (error) {
      onFailure(sentenceOf(error))
    } finally {
      setPending(false)
    }
  }

  return (
    <Button className={className} isPending={isPending} onClick={() => void use()}>
      <FingerprintPattern aria-hidden="true" className="size-4" />
      Use a passkey
    </Button>
  )
}

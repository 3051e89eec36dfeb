import { useState } from 'react'
import type { ProviderStatus } from '#shared/api/money/payments.ts'
import { sentenceOf } from '../../api/api-error.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Button } from '../../ui/form/button.tsx'
import { May } from '../../widgets/facts/may.tsx'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'
import { PROVIDER_WORDS } from './setup/provider-words.ts'

/** One payment provider, with a button that tests it and shows the result. */
export function ProviderTest({ status }: { status: ProviderStatus }) {
  const { name: provider, isOffered, awaySince } = status
  const [answer, setAnswer] = useState<{ isGood: boolean; text: string }>()
  const test = useAction(api.payments.test, {
    failed: () => undefined,
    refresh: [api.payments.status],
  })
  const [name, how] = PROVIDER_WORDS[provider] ?? [provider, '']

  async function ask() {
    setAnswer(undefined)
    const outcome = await test.run({ body: { provider } })
    setAnswer(
      outcome.ok
        ? { isGood: true, text: outcome.result.message }
        : { isGood: false, text: sentenceOf(outcome.error) },
    )
  }

  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <p className="font-semibold text-base">{name}</p>
          {how && <p className="text-ink-soft">{how}</p>}
          {!isOffered && (
            <p className="text-ink-soft">Not offered. Payments that began here go on.</p>
          )}
        </div>
        <May duty="own">
          <Button aria-label={`Test ${name}`} isPending={test.isPending} onClick={() => void ask()}>
            Test
          </Button>
        </May>
      </div>
      {awaySince && (
        <Note tone="warn">
          It stopped answering <RelativeTime at={awaySince} />. New payments do not use it.
        </Note>
      )}
      <div role="status">{answer?.isGood && <Note tone="good">{answer.text}</Note>}</div>
      {answer && !answer.isGood && <Note tone="bad">{answer.text}</Note>}
    </div>
  )
}

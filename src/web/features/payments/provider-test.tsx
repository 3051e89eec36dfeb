import { useState } from 'react'
import type { ProviderStatus } from '#shared/api/shop/payments.ts'
import { sentenceOf } from '../../api/api-error.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Button } from '../../ui/form/button.tsx'
import { May } from '../../widgets/facts/may.tsx'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'

const WORDS: Record<string, [name: string, how: string]> = {
  sandbox: ['Sandbox', 'Every order counts as paid at once.'],
  manual: ['Manual', 'Clients pay you directly; you mark their orders as paid.'],
  stripe: [
    'Stripe',
    'Clients pay by card on a page of Stripe. Card data never touches this server.',
  ],
  btcpay: [
    'BTCPay Server',
    'Clients pay in cryptocurrency, to the store of your own BTCPay Server.',
  ],
  monero: ['Monero', 'Clients pay to addresses of your own wallet, which a view-only one watches.'],
}

/** The provider's own name. */
export const nameOf = (provider: string): string => WORDS[provider]?.[0] ?? provider

/** One payment provider, with a button that tests it and shows the result. */
export function ProviderTest({ status }: { status: ProviderStatus }) {
  const { name: provider, isOffered, awaySince } = status
  const [answer, setAnswer] = useState<{ isGood: boolean; text: string }>()
  const test = useAction(api.payments.test, {
    failed: () => undefined,
    refresh: [api.payments.status],
  })
  const [name, how] = WORDS[provider] ?? [provider, '']

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

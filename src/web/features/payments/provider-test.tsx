import { useState } from 'react'
import { sentenceOf } from '../../api/api-error.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Button } from '../../ui/form/button.tsx'

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
}

/** The payment provider, with a button that tests it and shows the result. */
export function ProviderTest({ provider }: { provider: string }) {
  const [answer, setAnswer] = useState<{ isGood: boolean; text: string }>()
  const test = useAction(api.payments.test, { failed: () => undefined })
  const [name, how] = WORDS[provider] ?? [provider, '']

  async function ask() {
    setAnswer(undefined)
    const outcome = await test.run()
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
        </div>
        <Button isPending={test.isPending} onClick={() => void ask()}>
          Test
        </Button>
      </div>
      <div role="status">{answer?.isGood && <Note tone="good">{answer.text}</Note>}</div>
      {answer && !answer.isGood && <Note tone="bad">{answer.text}</Note>}
    </div>
  )
}

import { useQuery } from '@tanstack/react-query'
import type { ClientToken } from '#shared/api/overview/client.ts'
import type { Billing } from '#shared/api/shop/billing.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { priceText } from '../../lib/format/price.ts'
import { calendarDay } from '../../lib/format/time.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { useServerNow } from '../../widgets/time/use-server-now.ts'
import { creditRenewable, creditRenewalWords, lastsWords } from './billing-rules.ts'

const HOUR_MS = 3_600_000

type CreditRenewalsProps = { billing: Billing; isSimulated: boolean }

/** A switch for each server, and how long the credit lasts with them. */
export function CreditRenewals({ billing, isSimulated }: CreditRenewalsProps) {
  const { subscriptions, creditLasts } = billing
  const now = useServerNow(HOUR_MS)
  const tokens = useQuery(query(api.client.tokens))
  const offered = creditRenewable(tokens.data ?? [], subscriptions)
  if (offered.length === 0) return null
  const lasts = creditLasts && lastsWords(creditLasts, now)
  return (
    <Card>
      <CardHeader
        title="Renewal from credit"
        description="Three days before a server ends, its price is taken from your credit. Off unless you turn it on."
      />
      {lasts && (
        <div className="border-b px-5 py-4">
          <Note tone={lasts.isSoon ? 'warn' : 'plain'}>{lasts.text}</Note>
        </div>
      )}
      <ul className="divide-y">
        {offered.map((token) => (
          <RenewalSwitch key={token.id} token={token} isSimulated={isSimulated} />
        ))}
      </ul>
    </Card>
  )
}

function RenewalSwitch({ token, isSimulated }: { token: ClientToken; isSimulated: boolean }) {
  const turn = useAction(api.credit.autoRenew, {
    done: ({ enabled, renewsAt }) => ({
      title: enabled ? 'Renewal from credit is on' : 'Renewal from credit is off',
      description: renewsAt
        ? `${token.label} is renewed on ${calendarDay(new Date(renewsAt))}.`
        : token.label,
    }),
    failed: 'Renewal from credit could not be changed',
    refresh: [api.client.tokens, api.billing.overview],
  })
  return (
    <li className="flex items-center justify-between gap-x-6 px-5 py-3">
      <div className="min-w-0">
        <p className="break-words font-semibold">{token.label}</p>
        <p className="text-ink-soft">
          {priceText(token.monthlyPrice)} each time. {creditRenewalWords(token)}
        </p>
      </div>
      <Switch
        aria-label={`Renew ${token.label} from credit`}
        checked={token.autoRenew}
        disabled={isSimulated || turn.isPending}
        onChange={({ target }) =>
          void turn.run({ params: { id: token.id }, body: { enabled: target.checked } })
        }
      />
    </li>
  )
}

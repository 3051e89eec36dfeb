import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { Billing } from '#shared/api/shop/billing.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { priceText } from '../../lib/format/price.ts'
import { Button } from '../../ui/form/button.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'
import { useServerNow } from '../../widgets/time/use-server-now.ts'

const RenewDialog = lazyPage(() => import('../../widgets/billing/renew-dialog.tsx'), 'RenewDialog')

type Due = Billing['due'][number]

/** Servers that end soon, or have ended and can still be kept. */
export function DueCard({ due, isSimulated }: { due: readonly Due[]; isSimulated: boolean }) {
  const now = useServerNow(MINUTE_MS)
  const [renewing, setRenewing] = useState<number>()
  const tokens = useQuery({ ...query(api.client.tokens), enabled: due.length > 0 })
  const token = tokens.data?.find(({ id }) => id === renewing)
  // What its client calls it; that of the token is the same for every server of a package.
  const labelOf = ({ tokenId, name }: Due) =>
    tokens.data?.find(({ id }) => id === tokenId)?.label ?? name
  return (
    <Card>
      <CardHeader title={due.length === 0 ? 'What is due' : `What is due (${due.length})`} />
      {due.length === 0 ? (
        <p className="flex items-center gap-2.5 px-5 py-4">
          <CircleCheck aria-hidden="true" className="size-4 shrink-0 text-good" />
          Nothing is due. A server appears here a week before its time ends.
        </p>
      ) : (
        <ul className="divide-y">
          {due.map((one) => (
            <li
              key={one.tokenId}
              className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 px-5 py-3"
            >
              <div className="min-w-0 flex-1 basis-56">
                <p className="break-words font-semibold">{labelOf(one)}</p>
                <p className="text-ink-soft">
                  {Date.parse(one.expiresAt) > now ? 'Ends ' : 'Stopped '}
                  <RelativeTime at={one.expiresAt} />
                </p>
              </div>
              <div className="flex items-center justify-between gap-6 max-sm:w-full">
                <span className="tabular font-semibold">{priceText(one.amount)}</span>
                <Button
                  aria-label={`Renew ${labelOf(one)}`}
                  disabled={isSimulated || !tokens.data}
                  onClick={() => setRenewing(one.tokenId)}
                >
                  Renew
                </Button>
              </div>
            </li>
          ))}
        </ul>
      )}
      {token && (
        <Suspense>
          <RenewDialog
            token={{ ...token, name: token.label }}
            now={now}
            onClose={() => setRenewing(undefined)}
          />
        </Suspense>
      )}
    </Card>
  )
}

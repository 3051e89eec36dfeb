import { useQuery } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import { useState } from 'react'
import { useParams } from 'wouter'
import type { LinkedServer } from '#shared/api/shop/payment-links.ts'
import { ApiError } from '../../../api/api-error.ts'
import { query } from '../../../api/query.ts'
import { api } from '../../../api/table.ts'
import { isNothing } from '../../../lib/billing/credit.ts'
import { exactTime } from '../../../lib/format/time.ts'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { Note } from '../../../ui/feedback/note.tsx'
import { Skeleton } from '../../../ui/indicator/skeleton.tsx'
import { Card, CardHeader } from '../../../ui/layout/card.tsx'
import { Fact, Facts } from '../../../widgets/facts/facts.tsx'
import { ListState } from '../../../widgets/list/list-state.tsx'
import { ChooseTerm } from './choose-term.tsx'
import { LinkCheckout } from './link-checkout.tsx'

const POLL_MS = 5000

const isAbsent = (error: unknown) =>
  error instanceof ApiError && (error.status === 404 || error.status === 400)

/** Renews one server for anyone who has its link. */
export function PayLinkPage() {
  const code = useParams().code ?? ''
  const server = useQuery({
    ...query(api.paymentLinks.show, { params: { code } }),
    staleTime: 0,
    refetchInterval: POLL_MS,
    retry: (count, error) => !isAbsent(error) && count < 3,
  })
  return (
    <div className="mx-auto w-full max-w-2xl space-y-4 px-4 py-8">
      <h1 className="text-xl">Renew a server</h1>
      {isAbsent(server.error) ? (
        <Card>
          <EmptyState icon={SearchX} title="This link is not valid">
            It was revoked, or its server has ended. Ask its owner for a new one.
          </EmptyState>
        </Card>
      ) : (
        <ListState
          query={server}
          failure="The server could not be loaded"
          skeleton={<Skeleton className="h-80" />}
        >
          {(data) => <Linked code={code} server={data} />}
        </ListState>
      )}
    </div>
  )
}

function Linked({ code, server }: { code: string; server: LinkedServer }) {
  const { label, plan, paidUntil, open, offers } = server
  // The end as it was when the page was opened: a later one is what was paid here.
  const [before] = useState(paidUntil)
  const isRenewed = paidUntil !== null && before !== null && paidUntil > before
  return (
    <>
      {isRenewed && open === null && (
        <Note tone="good">Thank you. The payment has arrived and the time is added.</Note>
      )}
      <Card>
        <CardHeader title={label} description={plan} />
        <Facts className="px-5">
          {paidUntil && <Fact term="Paid until">{exactTime(new Date(paidUntil))}</Fact>}
        </Facts>
      </Card>
      {open && <LinkCheckout open={open} />}
      {offers.length === 0 && (
        <Note>This server is paid for two years ahead. There is nothing to pay now.</Note>
      )}
      {offers.length > 0 && !isUnderWay(open) && (
        <ChooseTerm code={code} offers={offers} openMonths={open?.months} />
      )}
    </>
  )
}

/** Money was seen: nothing is to be chosen until it has arrived. */
const isUnderWay = (open: LinkedServer['open']): boolean =>
  open?.checkout?.state === 'confirming' || !isNothing(open?.checkout?.seen ?? '')

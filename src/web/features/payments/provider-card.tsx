import { useQuery } from '@tanstack/react-query'
import type { PaymentStatus, ProviderStatus } from '#shared/api/money/payments.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { isNothing } from '../../lib/billing/credit.ts'
import { priceText } from '../../lib/format/price.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Badge } from '../../ui/indicator/badge.tsx'
import { Card, CardBody, CardHeader } from '../../ui/layout/card.tsx'
import { Fact, Facts, MachineFact } from '../../widgets/facts/facts.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'
import { ProviderTest } from './provider-test.tsx'
import { nameOf } from './setup/provider-words.ts'

const POLL_MS = 30_000

/** The payment providers that are in use, and whether they work. */
export function ProviderCard() {
  const status = useQuery({ ...query(api.payments.status), staleTime: 0, refetchInterval: POLL_MS })
  return (
    <Card>
      <CardHeader
        title="Payments"
        description="What takes the money, and whether it works."
        action={
          <div className="-my-2">
            <QueryFreshness query={status} />
          </div>
        }
      />
      <ListState query={status} failure="The state of the payments could not be loaded">
        {(data) => <Provider status={data} />}
      </ListState>
    </Card>
  )
}

function Provider({ status }: { status: PaymentStatus }) {
  return (
    <CardBody className="space-y-4">
      {status.isTestMode && <Note tone="warn">Test mode: no money moves.</Note>}
      {!status.isBalanced && (
        <Note tone="bad">
          The ledger does not balance: what was paid is not what was delivered, held and credited.
          Do not delete anything, and report it.
        </Note>
      )}
      {status.providers.map((provider) => (
        <ProviderTest key={provider.name} status={provider} />
      ))}
      <Facts className="border-y">
        {reporting(status).map((provider) => (
          <Reports key={provider.name} provider={provider} />
        ))}
        {status.providers.map(({ name, lookAhead }) => (
          <LookAhead key={name} of={lookAhead} />
        ))}
        <Fact term="Last poll">
          {status.lastPollAt ? <RelativeTime at={status.lastPollAt} /> : 'Not yet'}
        </Fact>
        <Fact term="Open payments">
          <span className="tabular">{status.openPayments}</span>
        </Fact>
        <Fact term="Unclaimed money">
          <span className="text-right">
            <span className="tabular block">{priceText(status.unclaimed)}</span>
            {!isNothing(status.unclaimed) && (
              <span className="text-ink-soft text-xs">
                Paid by accounts that no longer exist. Nobody can spend it.
              </span>
            )}
          </span>
        </Fact>
        <Fact term="Ledger">
          <Badge tone={status.isBalanced ? 'good' : 'bad'} hasMark>
            {status.isBalanced ? 'Balanced' : 'Not balanced'}
          </Badge>
        </Fact>
      </Facts>
    </CardBody>
  )
}

/** Providers that report; where none does, the first says so. */
function reporting({ providers }: PaymentStatus): ProviderStatus[] {
  const some = providers.filter(({ webhookUrl }) => webhookUrl !== null)
  return some.length > 0 ? some : providers.slice(0, 1)
}

function Reports({ provider }: { provider: ProviderStatus }) {
  return (
    <>
      <MachineFact
        term="Webhook address"
        value={provider.webhookUrl}
        otherwise="None needed"
        of={nameOf(provider.name)}
      />
      <Fact term="Last webhook">
        {provider.lastWebhook ? <LastWebhook report={provider.lastWebhook} /> : 'None yet'}
      </Fact>
    </>
  )
}

/** How an operator's own wallet finds what clients paid, past the addresses that none used. */
function LookAhead({ of }: { of: ProviderStatus['lookAhead'] }) {
  if (!of) return null
  return (
    <>
      <Fact term="Monero addresses handed out">
        <span className="tabular">{of.handedOut}</span>
      </Fact>
      <Fact term="Look-ahead your wallet needs">
        <span className="text-right">
          <span className="tabular block">{of.needed}</span>
          <span className="text-ink-soft text-xs">
            In the wallet that spends: <span className="font-mono">{lookAheadCommand(of)}</span>.
            With less it does not find all payments.
          </span>
        </span>
      </Fact>
    </>
  )
}

const lookAheadCommand = ({ needed }: { needed: number }): string =>
  `set subaddress-lookahead 50:${needed}`

function LastWebhook({ report }: { report: NonNullable<PaymentStatus['lastWebhook']> }) {
  return (
    <span className="text-right">
      <span className="block">
        <span className="font-mono">{report.type}</span>, <RelativeTime at={report.at} />
      </span>
      <span className="text-ink-soft text-xs">{report.outcome ?? 'Not worked on yet'}</span>
    </span>
  )
}

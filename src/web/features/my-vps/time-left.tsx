import type { ClientToken } from '#shared/api/overview/client.ts'
import { daysBegun } from '#shared/rules/time/durations.ts'
import { expiryOf, warningDays } from '#shared/rules/token/token-expiry.ts'
import { isFree } from '#shared/rules/token/token-offer.ts'
import { priceText } from '../../lib/format/price.ts'
import { sizeTextOf } from '../../lib/format/size-text.ts'
import { exactTime } from '../../lib/format/time.ts'
import { daysText, fractionLeft } from '../../lib/format/time-words.ts'
import { Progress } from '../../ui/indicator/progress.tsx'
import { Fact, Facts } from '../../widgets/facts/facts.tsx'
import { Countdown } from '../../widgets/time/countdown.tsx'

/** How long the server is the client's, and at what price. */
export function TimeLeft({ token, now }: { token: ClientToken; now: number }) {
  return (
    <div className="border-t px-5 lg:border-t-0">
      {token.status === 'assigned' && <Running token={token} now={now} />}
      <Facts>
        <Fact term="Size">
          <span className="font-mono">{sizeTextOf(token.name)}</span>
        </Fact>
        <Fact term="Duration">{daysText(token.durationDays)}</Fact>
        <Fact term={priceTerm(token)}>
          <span className="tabular">
            {isFree(token) ? 'Free trial' : priceText(token.monthlyPrice)}
          </span>
        </Fact>
        <Ends token={token} />
        <Fact term="Token">
          <span className="font-mono text-xs">{token.tokenId}</span>
        </Fact>
      </Facts>
    </div>
  )
}

/** A month is 30 days; another duration is named. */
const priceTerm = ({ durationDays }: ClientToken): string =>
  durationDays === 30 ? 'Monthly price' : `Price for ${daysText(durationDays)}`

function Running({ token, now }: { token: ClientToken; now: number }) {
  const end = expiryOf(token)
  if (!end) return null
  const left = end.getTime() - now
  return (
    <div className="border-b py-5">
      <p className="mb-1 text-ink-soft">Time left</p>
      <p className="mb-3">
        <Countdown until={end.getTime()} now={now} className="font-semibold text-lg" />
      </p>
      <Progress
        value={fractionLeft(left, token.durationDays)}
        label={`Time left of ${token.label}`}
        tone={daysBegun(left) <= warningDays(token.durationDays) ? 'bad' : 'idle'}
      />
    </div>
  )
}

function Ends({ token }: { token: ClientToken }) {
  const end = expiryOf(token)
  if (!end || token.status === 'pending') return null
  return (
    <Fact term={token.status === 'assigned' ? 'Ends' : 'Ended'}>
      <time dateTime={end.toISOString()} className="break-normal">
        {exactTime(end)}
      </time>
    </Fact>
  )
}

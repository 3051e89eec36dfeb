import { Wallet } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { PaymentMethod } from '#shared/api/shop/billing.ts'
import { walletLink } from '../../../lib/billing/checkout.ts'
import { lazyPage } from '../../../lib/browser/lazy-page.ts'
import { buttonClass } from '../../../ui/form/button.tsx'
import { Tabs } from '../../../ui/layout/tabs.tsx'
import { Copy } from '../../../widgets/facts/copy.tsx'

// Loaded only where needed, into a box of fixed size: nothing below it moves under a press.
const QrCode = lazyPage(() => import('../../../widgets/facts/qr-code.tsx'), 'QrCode')

/** Every payment method of this page, one at a time. */
export function PayMethods({ methods }: { methods: readonly PaymentMethod[] }) {
  const [chosen, setChosen] = useState<string>()
  const [first] = methods
  if (!first) return null
  if (methods.length === 1) return <PayMethod method={first} />
  const isOffered = methods.some(({ id }) => id === chosen)
  return (
    <Tabs
      label="Ways to pay"
      value={isOffered && chosen ? chosen : first.id}
      onChange={setChosen}
      tabs={methods.map((method) => ({
        value: method.id,
        label: method.name,
        content: <PayMethod method={method} />,
      }))}
    />
  )
}

/** "0.00021 BTC" → "0.00021": what a wallet's amount field accepts. */
const figureOf = (due: string): string => due.split(' ')[0] ?? due

function PayMethod({ method }: { method: PaymentMethod }) {
  const { name, destination, paymentLink, due } = method
  const link = walletLink(paymentLink)
  return (
    <div className="grid gap-6 sm:grid-cols-[13rem_minmax(0,1fr)]">
      <div className="aspect-square w-full overflow-hidden rounded-sm border max-sm:mx-auto max-sm:max-w-60">
        <Suspense>
          <QrCode text={paymentLink} label={`QR code to pay with ${name}`} />
        </Suspense>
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <dl className="space-y-4">
          <Line term="Amount" value={due} copied={figureOf(due)} name={name} isLarge />
          <Line
            term={isInvoice(method) ? 'Invoice' : 'Address'}
            value={destination}
            copied={destination}
            name={name}
          />
        </dl>
        {link && (
          <a href={link} className={`${buttonClass()} w-fit`}>
            <Wallet aria-hidden="true" className="size-4" />
            Open in a wallet
          </a>
        )}
        <p className="text-ink-soft">
          {isInvoice(method)
            ? 'The invoice says the amount to your wallet, and can be paid once.'
            : 'Send the exact amount in one payment. Fees of the network come on top of it.'}
          {isHeld(method) && ' The amount is good until the time above is over.'}
        </p>
      </div>
    </div>
  )
}

/** Lightning: what is paid is an invoice with its amount, not an address. */
const isInvoice = ({ id }: PaymentMethod): boolean => id.endsWith('-LN')

/** Its rate is held by ourselves, for as long as the payment is open. */
const isHeld = ({ id }: PaymentMethod): boolean => id === 'XMR'

type LineProps = { term: string; value: string; copied: string; name: string; isLarge?: boolean }

function Line({ term, value, copied, name, isLarge = false }: LineProps) {
  return (
    <div>
      <dt className="text-ink-soft">{term}</dt>
      <dd className="flex items-start justify-between gap-3">
        <span
          className={`min-w-0 break-all pt-1.5 font-mono ${isLarge ? 'font-semibold text-base' : ''}`}
        >
          {value}
        </span>
        <Copy value={copied} label={`Copy ${term.toLowerCase()}: ${name}`} className="-mr-2" />
      </dd>
    </div>
  )
}

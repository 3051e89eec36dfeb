import { Ban, CircleCheck, Hourglass, type LucideIcon, ServerCog, Timer } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Link } from 'wouter'
import type { ClientOrderDetails } from '#shared/api/shop/billing.ts'
import { lazyPage } from '../../../lib/browser/lazy-page.ts'
import { priceText } from '../../../lib/format/price.ts'
import { paths } from '../../../lib/paths/paths.ts'
import { Button, buttonClass } from '../../../ui/form/button.tsx'
import { Card } from '../../../ui/layout/card.tsx'
import type { OrderStage } from './order-stage.ts'
import { type StageWords, stageWords } from './stage-words.ts'
import { usePay } from './use-pay.ts'

const CancelOrderDialog = lazyPage(() => import('./cancel-order-dialog.tsx'), 'CancelOrderDialog')

const PaysWhenItAnswers = lazyPage(
  () => import('../../../widgets/jobs/pays-when-it-answers.tsx'),
  'PaysWhenItAnswers',
)

const ICONS: Record<Exclude<OrderStage, 'paying'>, [icon: LucideIcon, colour: string]> = {
  confirming: [Timer, 'text-warn'],
  lapsed: [Hourglass, 'text-warn'],
  waiting: [ServerCog, 'text-warn'],
  making: [ServerCog, 'text-warn'],
  done: [CircleCheck, 'text-good'],
  cancelled: [Ban, 'text-ink-soft'],
}

type StagePanelProps = {
  details: ClientOrderDetails
  stage: Exclude<OrderStage, 'paying'>
  isSimulated: boolean
}

/** The stage of the order, and the next step. */
export function StagePanel({ details, stage, isSimulated }: StagePanelProps) {
  const [Icon, colour] = ICONS[stage]
  const words = stageWords(stage, details)
  return (
    <Card className="flex flex-wrap items-center justify-between gap-x-6 gap-y-4 p-5 print:hidden">
      <div role="status" className="flex min-w-0 flex-1 basis-72 gap-3">
        <Icon aria-hidden="true" className={`mt-0.5 size-5 shrink-0 ${colour}`} />
        <div className="min-w-0">
          <p className="font-semibold text-base">{words.title}</p>
          <p className="mt-1 break-words text-ink-soft">{words.text}</p>
          {details.order.beganAt !== null && Number(details.order.amount) > 0 && (
            <p className="mt-1 text-ink-soft">
              <Suspense>
                <PaysWhenItAnswers since={details.order.beganAt} />
              </Suspense>
            </p>
          )}
          {words.failure && <p className="mt-2 text-bad">{words.failure}</p>}
        </div>
      </div>
      {stage === 'lapsed' ? (
        <PayAgain details={details} isSimulated={isSimulated} />
      ) : (
        words.next && <Next next={words.next} />
      )}
    </Card>
  )
}

function PayAgain({ details, isSimulated }: Pick<StagePanelProps, 'details' | 'isSimulated'>) {
  const { order } = details
  const pay = usePay(order.id)
  const [isAsking, setAsking] = useState(false)
  return (
    <div className="flex flex-wrap gap-2">
      <Button variant="ghost" disabled={isSimulated} onClick={() => setAsking(true)}>
        Cancel the order
      </Button>
      <Button
        variant="primary"
        disabled={isSimulated}
        isPending={pay.isPending}
        onClick={() => void pay.run()}
      >
        Pay {priceText(details.checkout?.due ?? order.amount)}
      </Button>
      {isAsking && (
        <Suspense>
          <CancelOrderDialog order={order} onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </div>
  )
}

const NEXT: Record<NonNullable<StageWords['next']>, [path: string, label: string]> = {
  server: [paths.dashboard, 'Go to your server'],
  watch: [paths.dashboard, 'Watch progress'],
  plans: [paths.pricing, 'See the plans'],
}

function Next({ next }: Required<Pick<StageWords, 'next'>>) {
  const [path, label] = NEXT[next]
  return (
    <Link
      href={path}
      className={buttonClass({ variant: next === 'server' ? 'primary' : 'secondary' })}
    >
      {label}
    </Link>
  )
}

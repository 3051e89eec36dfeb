import { Link } from 'wouter'
import type { PublicPackage } from '#shared/api/shop/packages.ts'
import { registerPath } from '../../lib/paths/paths.ts'
import { Button, type ButtonLook, buttonClass } from '../../ui/form/button.tsx'

type PlanActionProps = { plan: PublicPackage } & Pick<ButtonLook, 'variant'>

/** For a visitor, who needs an account first: the plan is kept in the address. */
export function PlanOrderLink({ plan, variant = 'secondary' }: PlanActionProps) {
  if (plan.soldOut) return <SoldOut plan={plan} />
  return (
    <Link
      href={registerPath(plan.id)}
      aria-label={`Order ${plan.name}`}
      className={`${buttonClass({ variant })} w-full`}
    >
      Order
    </Link>
  )
}

export function PlanOrderButton({
  plan,
  variant = 'secondary',
  onOrder,
}: PlanActionProps & { onOrder: () => void }) {
  if (plan.soldOut) return <SoldOut plan={plan} />
  return (
    <Button
      variant={variant}
      className="w-full"
      aria-label={`Order ${plan.name}`}
      onClick={onOrder}
    >
      Order
    </Button>
  )
}

function SoldOut({ plan }: { plan: PublicPackage }) {
  return (
    <>
      <p className="mb-2 text-ink-soft text-xs">There is no room for it right now.</p>
      <Button disabled className="w-full" aria-label={`Sold out: ${plan.name}`}>
        Sold out
      </Button>
    </>
  )
}

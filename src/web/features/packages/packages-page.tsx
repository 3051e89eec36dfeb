import { useQuery } from '@tanstack/react-query'
import { Copy, PackageOpen, Plus } from 'lucide-react'
import { useState } from 'react'
import type { Package } from '#shared/api/shop/packages.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Badge } from '../../ui/indicator/badge.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { May } from '../../widgets/facts/may.tsx'
import { CardSkeletons } from '../../widgets/list/card-skeletons.tsx'
import { EditDelete } from '../../widgets/list/edit-delete.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { PlanCard } from '../../widgets/package/plan-card.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { DeletePackageDialog } from './delete-package-dialog.tsx'
import { type PackageAct, PackageDialog } from './package-dialog.tsx'

type Open = PackageAct | { act: 'delete'; plan: Package }

export function PackagesPage() {
  // Never from the cache: prices are edited here.
  const packages = useQuery({ ...query(api.packages.list), staleTime: 0, gcTime: 0 })
  const [open, setOpen] = useState<Open>()
  const add = (
    <Button variant="primary" onClick={() => setOpen({ act: 'add' })}>
      <Plus aria-hidden="true" className="size-4" />
      Add Package
    </Button>
  )
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="flex flex-wrap items-center gap-x-4">
          <h2 className="text-base">
            {packages.data ? `Packages (${packages.data.length})` : 'Packages'}
          </h2>
          <QueryFreshness query={packages} />
        </div>
        <May duty="money">{add}</May>
      </div>
      <ListState
        query={packages}
        failure="The packages could not be loaded"
        skeleton={<CardSkeletons />}
      >
        {(list) => (list.length === 0 ? <NoPackages /> : <Grid packages={list} onOpen={setOpen} />)}
      </ListState>
      {open &&
        (open.act === 'delete' ? (
          <DeletePackageDialog plan={open.plan} onClose={() => setOpen(undefined)} />
        ) : (
          <PackageDialog act={open} onClose={() => setOpen(undefined)} />
        ))}
    </div>
  )
}

function NoPackages() {
  return (
    <Card>
      <EmptyState icon={PackageOpen} title="No packages yet">
        A package is a plan on the pricing page. Add the first one to put it on sale.
      </EmptyState>
    </Card>
  )
}

type GridProps = { packages: readonly Package[]; onOpen: (open: Open) => void }

function Grid({ packages, onOpen }: GridProps) {
  return (
    <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
      {packages.map((plan) => (
        <li key={plan.id} className="grid">
          <PlanCard
            plan={plan}
            heading="h3"
            action={<PackageActions plan={plan} onOpen={onOpen} />}
          />
        </li>
      ))}
    </ul>
  )
}

function PackageActions({ plan, onOpen }: { plan: Package; onOpen: (open: Open) => void }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <Badge tone={plan.active ? 'good' : 'idle'} hasMark>
        {plan.active ? 'Active' : 'Inactive'}
      </Badge>
      <May duty="money">
        <EditDelete
          name={plan.name}
          onEdit={() => onOpen({ act: 'edit', plan })}
          onDelete={() => onOpen({ act: 'delete', plan })}
        >
          <Button
            variant="ghost"
            size="icon"
            className="-my-0.5"
            title="Duplicate"
            aria-label={`Duplicate ${plan.name}`}
            onClick={() => onOpen({ act: 'duplicate', plan })}
          >
            <Copy aria-hidden="true" className="size-4" />
          </Button>
        </EditDelete>
      </May>
    </div>
  )
}

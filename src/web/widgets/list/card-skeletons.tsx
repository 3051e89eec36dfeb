import { Skeleton } from '../../ui/indicator/skeleton.tsx'

export function CardSkeletons() {
  return (
    <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
      {['a', 'b', 'c'].map((key) => (
        <Skeleton key={key} className="h-96" />
      ))}
    </div>
  )
}

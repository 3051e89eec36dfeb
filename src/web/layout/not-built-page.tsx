import { Construction } from 'lucide-react'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

export function NotBuiltPage() {
  return (
    <Card>
      <EmptyState icon={Construction} title="This screen is not built yet." />
    </Card>
  )
}

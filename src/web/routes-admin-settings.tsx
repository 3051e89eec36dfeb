import type { Duty } from '#shared/rules/people/roles.ts'
import { useDuties } from './api/session.ts'
import { SettingsPage } from './features/account/settings-page.tsx'
import { OperatingSystemsCard } from './features/operating-systems/operating-systems-card.tsx'
import { PaymentsTab } from './features/payments/payments-tab.tsx'
import { lazyPage } from './lib/browser/lazy-page.ts'
import { Later } from './ui/indicator/later.tsx'
import type { Tab } from './ui/layout/tabs.tsx'

const IsoImagesCards = lazyPage(
  () => import('./features/operating-systems/iso-images-card.tsx'),
  'IsoImagesCards',
)

const AuditLog = lazyPage(() => import('./features/audit/audit-log.tsx'), 'AuditLog')

function AuditTab() {
  return (
    <Later className="h-64">
      <AuditLog />
    </Later>
  )
}

const BackupsOverview = lazyPage(
  () => import('./features/backups/backups-overview.tsx'),
  'BackupsOverview',
)

function BackupsTab() {
  return (
    <Later className="h-40">
      <BackupsOverview />
    </Later>
  )
}

const Books = lazyPage(() => import('./features/books/books-tab.tsx'), 'BooksTab')

function BooksTab() {
  return (
    <Later className="h-64">
      <Books />
    </Later>
  )
}

function SystemsTab() {
  return (
    <div className="space-y-4">
      <OperatingSystemsCard />
      <Later className="h-40">
        <IsoImagesCards />
      </Later>
    </div>
  )
}

const ADMIN_TABS: readonly (Tab & { duty: Duty })[] = [
  { value: 'payments', label: 'Payments', content: <PaymentsTab />, duty: 'money' },
  { value: 'books', label: 'Books', content: <BooksTab />, duty: 'money' },
  { value: 'systems', label: 'Operating Systems', content: <SystemsTab />, duty: 'run' },
  { value: 'backups', label: 'Backups', content: <BackupsTab />, duty: 'look' },
  { value: 'audit', label: 'Audit log', content: <AuditTab />, duty: 'look' },
]

export function AdminSettings() {
  const may = useDuties()
  return <SettingsPage extraTabs={ADMIN_TABS.filter(({ duty }) => may(duty))} />
}

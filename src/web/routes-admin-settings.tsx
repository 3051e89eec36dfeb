import { SettingsPage } from './features/account/settings-page.tsx'
import { AuditLog } from './features/audit/audit-log.tsx'
import { OperatingSystemsCard } from './features/operating-systems/operating-systems-card.tsx'
import { PaymentsTab } from './features/payments/payments-tab.tsx'

const ADMIN_TABS = [
  { value: 'payments', label: 'Payments', content: <PaymentsTab /> },
  { value: 'systems', label: 'Operating Systems', content: <OperatingSystemsCard /> },
  { value: 'audit', label: 'Audit log', content: <AuditLog /> },
]

export function AdminSettings() {
  return <SettingsPage extraTabs={ADMIN_TABS} />
}

import { SettingsPage } from './features/account/settings-page.tsx'
import { AuditLog } from './features/audit/audit-log.tsx'

/** The settings of everybody, and what only an administrator has. */
export function AdminSettings() {
  return (
    <SettingsPage extraTabs={[{ value: 'audit', label: 'Audit log', content: <AuditLog /> }]} />
  )
}

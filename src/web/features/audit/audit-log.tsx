import { useQuery } from '@tanstack/react-query'
import { ScrollText } from 'lucide-react'
import { useSearchParams } from 'wouter'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { writeView } from '../../lib/paths/view-values.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { Table } from '../../ui/layout/table.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { OlderPages } from '../../widgets/list/older-pages.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { auditColumns } from './audit-columns.tsx'
import { AuditFilters } from './audit-filters.tsx'
import { type AuditView, auditQuery, readAuditView } from './audit-view.ts'

/** The audit log, newest first. Filter and page are in the address. */
export function AuditLog() {
  const [search, setSearch] = useSearchParams()
  const view = readAuditView(search)
  const show = (next: Partial<AuditView>) =>
    setSearch((now) => writeView(now, { ...view, ...next }))
  const log = useQuery({
    ...query(api.audit.list, { query: auditQuery(view) }),
    // The list stays while its next page is read.
    placeholderData: (previous) => previous,
    // A log is opened to see what is new.
    refetchOnMount: 'always',
  })
  return (
    <Card>
      <CardHeader
        title="Audit log"
        description="Every sign-in and every change, with who was behind it."
        action={<QueryFreshness query={log} />}
      />
      <AuditFilters view={view} actions={log.data?.actions ?? []} onChange={show} />
      <ListState query={log} failure="The audit log could not be loaded">
        {({ entries, next }) => (
          <>
            {entries.length === 0 ? (
              <EmptyState icon={ScrollText} title="No entries">
                Nothing in the log matches this filter.
              </EmptyState>
            ) : (
              <Table
                label="Audit log"
                columns={auditColumns((userId) => show({ userId, before: undefined }))}
                rows={entries}
                rowKey={(entry) => entry.id}
              />
            )}
            <OlderPages
              label="Pages of the log"
              isFirst={view.before === undefined}
              older={next}
              onShow={(before) => show({ before })}
            />
          </>
        )}
      </ListState>
    </Card>
  )
}

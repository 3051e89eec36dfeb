import { useQuery } from '@tanstack/react-query'
import { ScrollText } from 'lucide-react'
import { useSearchParams } from 'wouter'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { Table } from '../../ui/layout/table.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { Freshness } from '../../widgets/time/freshness.tsx'
import { auditColumns } from './audit-columns.tsx'
import { AuditFilters } from './audit-filters.tsx'
import { type AuditView, auditQuery, readAuditView, writeAuditView } from './audit-view.ts'

/** The audit log, newest first. Filter and page are in the address. */
export function AuditLog() {
  const [search, setSearch] = useSearchParams()
  const view = readAuditView(search)
  const show = (next: Partial<AuditView>) =>
    setSearch((now) => writeAuditView(now, { ...view, ...next }))
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
        action={
          log.data && (
            <Freshness
              at={log.dataUpdatedAt}
              isFetching={log.isFetching}
              hasFailed={log.isError}
              onRefresh={() => void log.refetch()}
            />
          )
        }
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
            <Pages
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

type PagesProps = {
  isFirst: boolean
  older: number | null
  onShow: (before: number | undefined) => void
}

function Pages({ isFirst, older, onShow }: PagesProps) {
  if (isFirst && older === null) return null
  return (
    <nav aria-label="Pages of the log" className="flex justify-between gap-2 border-t px-5 py-3">
      <Button size="sm" disabled={isFirst} onClick={() => onShow(undefined)}>
        Newest
      </Button>
      <Button size="sm" disabled={older === null} onClick={() => onShow(older ?? undefined)}>
        Older
      </Button>
    </nav>
  )
}

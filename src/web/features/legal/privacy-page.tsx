import { useQuery } from '@tanstack/react-query'
import type { PersonalField } from '#shared/api/overview/system.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { graceDays } from '../../lib/browser/page-facts.ts'
import { sentenceCase } from '../../lib/format/words.ts'
import { Skeleton } from '../../ui/indicator/skeleton.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { type Column, Table } from '../../ui/layout/table.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { Passage, Prose } from './prose.tsx'

export function PrivacyPage() {
  return (
    <Prose
      title="Privacy"
      lead="Everything we store about a person, what for, and for how long. The list below is made from the database itself, so it cannot fall behind."
    >
      <FieldList />
      <Passage title="What we do not do">
        <p>
          No e-mail address, phone number or name is asked of you. No visitor statistics, no
          advertising, no fonts, scripts or pictures from third parties. Unless an operator turns it
          on to trace a fault, network addresses of clients are not written to logs.
        </p>
      </Passage>
      <Passage title="When you delete your account">
        <p>
          You can do it yourself in Settings. Your sessions, your device and everything above that
          names your account are deleted at once. Your servers are stopped, kept for {graceDays}{' '}
          days without a link to you, and destroyed. Orders and amounts stay in our books without a
          link to you. In the log of changes your account is sealed by a random key; deleting the
          account destroys the key, so no entry can be traced to you. Your bare username stays on
          the list of numbers that are never given again. Backups made before keep what they hold
          until the operator deletes them, and so does a payment provider you used.
        </p>
      </Passage>
      <Passage title="In your browser">
        <p>
          One cookie that keeps you signed in. Besides, your browser remembers the theme you chose
          and the device identifier made at registration; you can delete both at any time. A new
          account’s username and password are kept in the open tab until you say that you saved
          them.
        </p>
      </Passage>
      <Passage title="The device identifier">
        <p>
          It is made from traits of your browser to keep to one account per device. Where those
          traits are shared by many (phones, browsers that resist fingerprinting) and always on an
          onion address, it is a random number instead. It is a quota, not a proof of who you are.
          The server keeps only a keyed hash, which cannot be turned back.
        </p>
      </Passage>
    </Prose>
  )
}

const COLUMNS: readonly Column<PersonalField>[] = [
  {
    title: 'Field',
    width: 'md:w-1/4',
    cell: (row) => <span className="font-mono text-xs">{row.field}</span>,
  },
  { title: 'Purpose', width: 'md:w-5/12', cell: (row) => row.purpose },
  { title: 'Kept for', cell: (row) => row.retention },
]

function FieldList() {
  const fields = useQuery(query(api.system.privacy))
  return (
    <ListState
      query={fields}
      failure="The list could not be loaded"
      skeleton={<Skeleton className="h-80" />}
    >
      {(data) =>
        Object.entries(Object.groupBy(data, ({ subject }) => subject)).map(([subject, rows]) => (
          <section key={subject}>
            <h2 className="mb-2 text-base">{sentenceCase(subject)}</h2>
            <Card>
              <Table
                label={sentenceCase(subject)}
                columns={COLUMNS}
                rows={rows ?? []}
                rowKey={(row) => row.field}
              />
            </Card>
          </section>
        ))
      }
    </ListState>
  )
}

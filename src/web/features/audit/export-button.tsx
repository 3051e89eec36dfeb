import { Download } from 'lucide-react'
import { useState } from 'react'
import type { AuditEntry } from '#shared/api/people/audit.ts'
import { sentenceOf } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { api } from '../../api/table.ts'
import { showToast } from '../../api/toasts.ts'
import { Button } from '../../ui/form/button.tsx'
import { auditCsv } from './audit-csv.ts'
import { type AuditView, auditQuery } from './audit-view.ts'

const LIMIT = 1000
/** As many rows as a spreadsheet can open; narrower filters give the rest. */
const MOST = 100_000

/** Downloads the filtered entries, newest first. */
export function ExportButton({ view }: { view: AuditView }) {
  const [isPending, setPending] = useState(false)

  async function run() {
    setPending(true)
    try {
      const { entries, isWhole } = await readAll(view)
      save(auditCsv(entries))
      if (!isWhole) {
        const description = `The newest ${MOST} entries are in the file. Choose fewer days for the rest.`
        showToast({ title: 'Audit log exported in part', description })
      }
    } catch (error) {
      showToast({ tone: 'bad', title: 'Export failed', description: sentenceOf(error) })
    } finally {
      setPending(false)
    }
  }

  return (
    <Button size="sm" isPending={isPending} onClick={() => void run()}>
      {!isPending && <Download aria-hidden="true" className="size-3.5" />}
      Export CSV
    </Button>
  )
}

async function readAll(view: AuditView) {
  const entries: AuditEntry[] = []
  let before: number | undefined
  while (entries.length < MOST) {
    const query = { ...auditQuery({ ...view, before }), limit: LIMIT }
    const page = await call(api.audit.list, { query })
    entries.push(...page.entries)
    if (page.next === null) return { entries, isWhole: true }
    before = page.next
  }
  return { entries, isWhole: false }
}

function save(text: string) {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `audit-log-${new Date().toISOString().slice(0, 10)}.csv`
  link.click()
  URL.revokeObjectURL(url)
}

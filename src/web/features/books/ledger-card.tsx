import { Download } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/table.ts'
import { setValues } from '../../lib/paths/view-values.ts'
import { buttonClass } from '../../ui/form/button.tsx'
import { Card, CardBody, CardHeader } from '../../ui/layout/card.tsx'
import { PeriodFields } from '../../widgets/list/period-fields.tsx'

type Days = { from: string | undefined; to: string | undefined }

/** The ledger of a period as a file; without days it is the whole of it. */
export function LedgerCard() {
  const [days, setDays] = useState<Days>({ from: undefined, to: undefined })
  const asked = new URLSearchParams(setValues(days)).toString()
  return (
    <Card>
      <CardHeader
        title="Ledger for accountants"
        description="Every cent in two entries that sum to zero, debits positive. No client is in it."
      />
      <CardBody>
        <div className="flex flex-wrap items-center gap-3">
          <PeriodFields
            id="ledger"
            days={days}
            onChange={(next) => setDays({ ...days, ...next })}
          />
          <a
            href={`${api.books.ledger.path}${asked && `?${asked}`}`}
            download
            className={buttonClass()}
          >
            <Download aria-hidden="true" className="size-4" />
            Save as CSV
          </a>
        </div>
      </CardBody>
    </Card>
  )
}

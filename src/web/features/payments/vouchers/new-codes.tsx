import { Download, Printer } from 'lucide-react'
import type { NewVouchers } from '#shared/api/money/vouchers.ts'
import { priceText } from '../../../lib/format/price.ts'
import { Note } from '../../../ui/feedback/note.tsx'
import { Button, buttonClass } from '../../../ui/form/button.tsx'
import { Dialog } from '../../../ui/overlay/dialog.tsx'
import { Copy } from '../../../widgets/facts/copy.tsx'
import { csvOf } from './codes-csv.ts'
import { VoucherSheet } from './voucher-sheet.tsx'

type NewCodesProps = { made: NewVouchers; onClose: () => void }

/** The codes, which no later page shows: to copy, to print, or to save as a table. */
export function NewCodes({ made, onClose }: NewCodesProps) {
  const codes = made.vouchers.map(({ code }) => code)
  const table = `data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(made))}`
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`${codes.length} vouchers of ${priceText(made.amount)}`}
      footer={
        <>
          <Button onClick={() => window.print()}>
            <Printer aria-hidden="true" className="size-4" />
            Print
          </Button>
          <a href={table} download={`vouchers-${made.batch}.csv`} className={buttonClass()}>
            <Download aria-hidden="true" className="size-4" />
            Save as CSV
          </a>
          <Button variant="primary" onClick={onClose}>
            I have the codes
          </Button>
        </>
      }
    >
      <VoucherSheet made={made} />
      <div className="space-y-4">
        <Note tone="warn">
          The codes are shown only now. Print, save or copy them before you close this.
        </Note>
        <div className="flex items-center justify-between gap-3">
          <p className="text-ink-soft">Each code is worth money to whoever has it.</p>
          <Copy value={codes.join('\n')} label="Copy all codes" />
        </div>
        <ul className="max-h-72 divide-y overflow-y-auto border-y font-mono">
          {codes.map((code) => (
            <li key={code} className="py-2">
              {code}
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  )
}

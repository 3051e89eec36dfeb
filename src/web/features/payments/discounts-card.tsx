import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { MonthsDiscounts } from '#shared/api/money/payments.ts'
import { MOST_PERCENT } from '#shared/rules/money/months.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/form/button.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { Card, CardBody, CardHeader } from '../../ui/layout/card.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'

const PERIODS = [3, 6, 12] as const
const WRONG = `Please enter whole percents from 0 to ${MOST_PERCENT}`

/** What several months at once cost less. */
export function DiscountsCard() {
  const discounts = useQuery(query(api.payments.discounts))
  return (
    <Card>
      <CardHeader
        title="Several months at once"
        description="Clients renew for 1, 3, 6 or 12 months. What they save for paying ahead:"
      />
      <CardBody>
        <ListState query={discounts} failure="The discounts could not be loaded">
          {(data) => <DiscountsForm discounts={data} />}
        </ListState>
      </CardBody>
    </Card>
  )
}

const isPercent = (text: string): boolean => /^\d{1,2}$/.test(text) && Number(text) <= MOST_PERCENT

function DiscountsForm({ discounts }: { discounts: MonthsDiscounts }) {
  const [texts, setTexts] = useState(() => PERIODS.map((months) => String(discounts[months])))
  const [isChecked, setChecked] = useState(false)
  const save = useAction(api.payments.setDiscounts, {
    done: 'Discounts saved',
    failed: 'The discounts were not saved',
    refresh: [api.payments.discounts, api.billing.overview],
  })
  async function submit(event: FormEvent) {
    event.preventDefault()
    setChecked(true)
    const [three = '', six = '', twelve = ''] = texts
    if (!texts.every(isPercent)) return
    await save.run({ body: { 3: Number(three), 6: Number(six), 12: Number(twelve) } })
  }
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="space-y-4">
      <div className="grid gap-4 sm:grid-cols-3">
        {PERIODS.map((months, index) => {
          const text = texts[index] ?? ''
          return (
            <TextField
              key={months}
              label={`${months} months (%)`}
              error={isChecked && !isPercent(text) ? WRONG : undefined}
              value={text}
              inputMode="numeric"
              maxLength={3}
              onChange={({ target }) =>
                setTexts(texts.map((old, at) => (at === index ? target.value : old)))
              }
            />
          )
        })}
      </div>
      <Button type="submit" isPending={save.isPending}>
        Save discounts
      </Button>
    </form>
  )
}

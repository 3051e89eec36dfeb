import { ArrowDown, ArrowUp } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { OperatorWay, PaymentStatus } from '#shared/api/money/payments.ts'
import { sentenceOf } from '../../api/api-error.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Checkbox } from '../../ui/form/checkbox.tsx'
import { Field } from '../../ui/form/field.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { Textarea } from '../../ui/form/textarea.tsx'
import { CardBody } from '../../ui/layout/card.tsx'

export function WaysForm({ status }: { status: PaymentStatus }) {
  const [ways, setWays] = useState(status.ways)
  const [instructions, setInstructions] = useState(status.instructions ?? '')
  const save = useAction(api.payments.arrange, {
    done: { title: 'Ways to pay saved' },
    failed: () => undefined,
    refresh: [api.payments.status, api.paymentMethods.list],
  })
  const isByHand = ways.some(({ kind }) => kind === 'manual')

  const change = (id: string, part: Partial<OperatorWay>) =>
    setWays(ways.map((way) => (way.id === id ? { ...way, ...part } : way)))
  const move = (index: number, by: number) => {
    const way = ways[index]
    if (way) setWays(ways.toSpliced(index, 1).toSpliced(index + by, 0, way))
  }
  function submit(event: FormEvent) {
    event.preventDefault()
    const chosen = ways.map(({ id, name, usualName, isHidden }) => ({
      id,
      name: name.trim() === usualName ? null : name,
      isHidden,
    }))
    void save.run({ body: { ways: chosen, instructions } })
  }

  return (
    <form noValidate onSubmit={submit}>
      <CardBody className="space-y-4">
        <ol className="divide-y border-y">
          {ways.map((way, index) => (
            <li key={way.id} className="flex flex-wrap items-end gap-3 py-3">
              <div className="min-w-0 flex-1 basis-48">
                <TextField
                  label={`Name of ${way.usualName}`}
                  value={way.name}
                  maxLength={40}
                  onChange={(event) => change(way.id, { name: event.target.value })}
                />
              </div>
              <label htmlFor={`offer-${way.id}`} className="flex min-h-10 items-center gap-2">
                <Checkbox
                  id={`offer-${way.id}`}
                  aria-label={`Offer ${way.usualName}`}
                  checked={!way.isHidden}
                  onChange={(event) => change(way.id, { isHidden: !event.target.checked })}
                />
                Offered
              </label>
              <div className="flex">
                <Button
                  variant="ghost"
                  size="icon"
                  aria-label={`Move ${way.usualName} up`}
                  disabled={index === 0}
                  onClick={() => move(index, -1)}
                >
                  <ArrowUp aria-hidden="true" className="size-4" />
                </Button>
                <Button
                  variant="ghost"
                  size="icon"
                  aria-label={`Move ${way.usualName} down`}
                  disabled={index === ways.length - 1}
                  onClick={() => move(index, 1)}
                >
                  <ArrowDown aria-hidden="true" className="size-4" />
                </Button>
              </div>
            </li>
          ))}
        </ol>
        {isByHand && (
          <Field
            label="How to pay directly (optional)"
            hint="Shown to clients who chose direct payment, above the number of the order."
          >
            {(control) => (
              <Textarea
                {...control}
                rows={4}
                maxLength={2000}
                value={instructions}
                onChange={(event) => setInstructions(event.target.value)}
              />
            )}
          </Field>
        )}
        {save.error ? <Note tone="bad">{sentenceOf(save.error)}</Note> : null}
        <Button type="submit" variant="primary" isPending={save.isPending}>
          Save
        </Button>
      </CardBody>
    </form>
  )
}

import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Seller } from '#shared/api/shop/receipts.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/form/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { Textarea } from '../../ui/form/textarea.tsx'
import { Card, CardBody, CardHeader } from '../../ui/layout/card.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'

/** What receipts say of the operator; all of it optional. */
export function SellerCard() {
  const seller = useQuery(query(api.books.seller))
  return (
    <Card>
      <CardHeader
        title="Receipts"
        description="Who sells, as the next receipts say it. Those that are issued do not change."
      />
      <CardBody>
        <ListState query={seller} failure="What receipts say could not be loaded">
          {(data) => <SellerForm seller={data} />}
        </ListState>
      </CardBody>
    </Card>
  )
}

function SellerForm({ seller }: { seller: Seller }) {
  const [fields, setFields] = useState({
    name: seller.name ?? '',
    address: seller.address ?? '',
    taxId: seller.taxId ?? '',
  })
  const set = (part: Partial<typeof fields>) => setFields({ ...fields, ...part })
  const save = useAction(api.books.setSeller, {
    done: 'Saved for the next receipts',
    failed: 'It was not saved',
    refresh: [api.books.seller],
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    void save.run({ body: fields })
  }
  return (
    <form noValidate onSubmit={submit} className="space-y-4">
      <TextField
        label="Name (optional)"
        value={fields.name}
        maxLength={100}
        onChange={({ target }) => set({ name: target.value })}
      />
      <Field label="Address (optional)">
        {(control) => (
          <Textarea
            {...control}
            value={fields.address}
            maxLength={500}
            onChange={({ target }) => set({ address: target.value })}
          />
        )}
      </Field>
      <TextField
        label="Tax id (optional)"
        value={fields.taxId}
        maxLength={60}
        onChange={({ target }) => set({ taxId: target.value })}
      />
      <Button type="submit" isPending={save.isPending}>
        Save
      </Button>
    </form>
  )
}

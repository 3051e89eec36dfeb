import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import type { DeletionPreview } from '#shared/api/people/account.ts'
import { sentenceOf } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { query } from '../../api/query.ts'
import { leave, useMe } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { brandName } from '../../lib/browser/page-facts.ts'
import { saveFile } from '../../lib/browser/save-file.ts'
import { paths } from '../../lib/paths/paths.ts'
import { Button } from '../../ui/form/button.tsx'
import { Checkbox } from '../../ui/form/checkbox.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Input } from '../../ui/form/input.tsx'
import { PasswordInput } from '../../ui/form/password-input.tsx'
import { Card, CardBody, CardHeader } from '../../ui/layout/card.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { SimulatedNote } from './simulated-note.tsx'

export function DataCards({ isSimulated }: { isSimulated: boolean }) {
  return (
    <>
      <Card>
        <CardHeader
          title="Export my data"
          description="Everything stored about you as a JSON file. Passwords are not in it."
        />
        {isSimulated ? <SimulatedNote /> : <ExportButton />}
      </Card>
      <Card>
        <CardHeader title="Delete account" description="For good. There is no way back." />
        {isSimulated ? <SimulatedNote /> : <Deletion />}
      </Card>
    </>
  )
}

function ExportButton() {
  const [isPending, setPending] = useState(false)
  const [failure, setFailure] = useState('')

  async function download() {
    setPending(true)
    setFailure('')
    try {
      const data = await call(api.account.export)
      const name = `${brandName.toLowerCase()}-${data.account.username}.json`
      saveFile(name, JSON.stringify(data, null, 2), 'application/json')
    } catch (error) {
      setFailure(sentenceOf(error))
    }
    setPending(false)
  }

  return (
    <CardBody className="space-y-3">
      <Button onClick={() => void download()} isPending={isPending}>
        Download my data
      </Button>
      <p role="alert" className="text-bad empty:hidden">
        {failure}
      </p>
    </CardBody>
  )
}

function Deletion() {
  const preview = useQuery({ ...query(api.account.deletion), refetchOnMount: 'always' })
  return (
    <ListState query={preview} failure="What would be deleted could not be loaded">
      {(found) => <DeletionForm preview={found} />}
    </ListState>
  )
}

const many = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`

function DeletionForm({ preview }: { preview: DeletionPreview }) {
  const client = useQueryClient()
  const { username } = useMe()
  const [failure, setFailure] = useState('')
  const giveUpId = useId()
  const { servers, keptDays, credit, openOrders } = preview
  const hasMoney = Number(credit) > 0 || openOrders > 0
  const remove = useAction(api.account.remove, { failed: 'Your account was not deleted' })

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setFailure('')
    const outcome = await remove.run({
      body: {
        password: String(form.get('password')),
        confirm: String(form.get('confirm')),
        giveUpMoney: form.get('giveUpMoney') === 'on',
      },
    })
    if (outcome.ok) return leave(client, paths.home)
    if (outcome.error) setFailure(sentenceOf(outcome.error))
  }

  return (
    <form onSubmit={submit} noValidate>
      <CardBody className="max-w-md space-y-5">
        <ul className="list-disc space-y-1 pl-5">
          <li>You are signed out everywhere, and nothing we keep leads back to you.</li>
          {servers > 0 && (
            <li>
              <strong className="font-semibold">{many(servers, 'server')}</strong> will be stopped
              now and deleted after {many(keptDays, 'day')}. Nobody can give them back to you.
            </li>
          )}
          {Number(credit) > 0 && (
            <li>
              Your credit of <strong className="font-semibold">${credit}</strong> is lost.
            </li>
          )}
          {openOrders > 0 && (
            <li>
              {many(openOrders, 'unfinished order')} will be cancelled. A payment that still arrives
              is lost to you.
            </li>
          )}
        </ul>
        {hasMoney && (
          <label htmlFor={giveUpId} className="flex items-start gap-3">
            <Checkbox id={giveUpId} name="giveUpMoney" />
            <span className="pt-0.5">I give up my credit and my unfinished orders</span>
          </label>
        )}
        <Field label="Your password">
          {(control) => (
            <PasswordInput {...control} name="password" autoComplete="current-password" />
          )}
        </Field>
        <Field label={`Type your username (${username}) to confirm`}>
          {(control) => <Input {...control} name="confirm" autoComplete="off" spellCheck={false} />}
        </Field>
        <p role="alert" className="text-bad empty:hidden">
          {failure}
        </p>
        <Button type="submit" variant="danger" isPending={remove.isPending}>
          Delete my account
        </Button>
      </CardBody>
    </form>
  )
}

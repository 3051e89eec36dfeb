import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { SecondFactor } from '#shared/api/people/second-factor.ts'
import { query, refresh } from '../../api/query.ts'
import { me } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/form/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { PasswordInput } from '../../ui/form/password-input.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { Badge } from '../../ui/indicator/badge.tsx'
import { Card, CardBody, CardHeader } from '../../ui/layout/card.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'
import { SetUp } from './second-factor/set-up.tsx'
import { SimulatedNote } from './simulated-note.tsx'

export function SecondFactorCard({ isSimulated }: { isSimulated: boolean }) {
  const client = useQueryClient()
  const state = useQuery({ ...query(api.secondFactor.state), enabled: !isSimulated })
  const [isSettingUp, setSettingUp] = useState(false)
  async function done() {
    await refresh(client, [api.secondFactor.state])
    setSettingUp(false)
  }
  return (
    <Card>
      <CardHeader
        title="Second factor"
        description="A code of an authenticator app, asked for beside the password."
        action={state.data?.isOn && <Badge tone="good">On</Badge>}
      />
      {isSimulated ? (
        <SimulatedNote />
      ) : isSettingUp ? (
        <CardBody>
          <SetUp onDone={() => void done()} />
        </CardBody>
      ) : (
        <ListState query={state} failure="Your second factor could not be loaded">
          {(found) =>
            found.isOn ? <On state={found} /> : <Off onStart={() => setSettingUp(true)} />
          }
        </ListState>
      )}
    </Card>
  )
}

function Off({ onStart }: { onStart: () => void }) {
  return (
    <CardBody className="space-y-4">
      <p>
        With it, a stolen password alone opens nothing. It is also asked for before a login is
        revealed or a server ends.
      </p>
      <Button onClick={onStart}>Set up a second factor</Button>
    </CardBody>
  )
}

function On({ state }: { state: SecondFactor }) {
  const client = useQueryClient()
  const [isTurningOff, setTurningOff] = useState(false)
  const turnOff = useAction(api.secondFactor.turnOff, {
    done: 'Second factor is off',
    failed: 'The second factor is still on',
    refresh: [api.secondFactor.state, api.passkeys.list, api.account.activity],
  })
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const body = { password: String(form.get('password')), code: String(form.get('code')) }
    const { ok } = await turnOff.run({ body })
    // An operator who must have one is led to the set-up.
    if (ok && state.isRequired) void client.invalidateQueries({ queryKey: me.queryKey })
  }
  return (
    <CardBody className="space-y-5">
      <p>
        On since {state.since && <RelativeTime at={state.since} />}.{' '}
        <strong className="font-semibold">{state.codesLeft} of 10</strong> recovery codes are left.
        {state.codesLeft <= 3 && ' For new ones, turn it off and set it up again.'}
        {state.isRequired && ' Administrators of this installation must have one.'}
      </p>
      {isTurningOff ? (
        <form onSubmit={submit} noValidate className="max-w-md space-y-5">
          <Field label="Your password">
            {(control) => (
              <PasswordInput {...control} name="password" autoComplete="current-password" />
            )}
          </Field>
          <TextField
            label="Code"
            hint="Of your authenticator app, or a recovery code."
            name="code"
            autoComplete="one-time-code"
            spellCheck={false}
          />
          <p>Its recovery codes and passkeys end with it.</p>
          <div className="flex flex-wrap gap-2">
            <Button type="submit" variant="danger" isPending={turnOff.isPending}>
              Turn off
            </Button>
            <Button onClick={() => setTurningOff(false)}>Cancel</Button>
          </div>
        </form>
      ) : (
        <Button onClick={() => setTurningOff(true)}>Turn off</Button>
      )}
    </CardBody>
  )
}

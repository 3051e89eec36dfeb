import { useQuery } from '@tanstack/react-query'
import { Power } from 'lucide-react'
import { useRef } from 'react'
import type { Instance } from '#shared/api/servers/instances.ts'
import { canPower } from '#shared/rules/instance/instance-power.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { instanceName } from '../../lib/instance/instance-status.ts'
import { Button } from '../../ui/form/button.tsx'
import { QuestionDialog } from '../../ui/overlay/question-dialog.tsx'
import { usePlaces } from '../cluster/use-places.ts'
import type { StopRequest } from './stop-request.ts'
import { usePower, usePowerOff } from './use-power.ts'

type StopDialogProps = StopRequest & { onClose: () => void }

/** Asks before a hard stop, and offers a shutdown first. */
export function StopDialog({ instance, audience, onClose }: StopDialogProps) {
  const gentle = useRef<HTMLButtonElement>(null)
  const shutdown = usePower('shutdown', audience)
  const stop = usePowerOff(audience)
  const name = instanceName(instance)
  const canShutDown = canPower(instance.status).shutdown
  const choose = (act: typeof stop) => {
    onClose()
    void act.run(instance)
  }
  return (
    <QuestionDialog
      onClose={onClose}
      title={`Stop ${name}?`}
      {...(canShutDown && { firstFocus: gentle })}
      footer={
        <>
          <Button variant="danger" onClick={() => choose(stop)}>
            Stop now
          </Button>
          {canShutDown && (
            <Button ref={gentle} variant="primary" onClick={() => choose(shutdown)}>
              <Power aria-hidden="true" className="size-4" />
              Shut down instead
            </Button>
          )}
        </>
      }
    >
      {audience === 'admin' && <OwnerLine id={instance.id} />}
      <p>
        Stop is like pulling the plug: the server is off at once, programs cannot save their work,
        and files may be damaged.{' '}
        {canShutDown
          ? 'Shutdown asks the operating system to close everything first.'
          : 'Use it when the operating system does not react.'}
      </p>
    </QuestionDialog>
  )
}

/** The owner and place of the server: names are not unique. */
function OwnerLine({ id }: { id: number }) {
  const { data } = useQuery(query(api.instances.list))
  const places = usePlaces()
  const found = data?.find((row) => row.id === id)
  if (!found) return null
  return (
    <p className="mb-3 text-ink">
      <strong className="font-semibold">{ownerWords(found)}</strong> VM {found.vmId}
      {found.node && ` on ${places.nodeOf(found)}`}.
    </p>
  )
}

const ownerWords = ({ clientName, ownerId }: Instance): string =>
  ownerId === null
    ? 'This VM belongs to no client; something of yours may depend on it.'
    : `This server belongs to ${clientName}.`

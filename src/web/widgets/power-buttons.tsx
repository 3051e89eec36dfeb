import { useQueryClient } from '@tanstack/react-query'
import { type LucideIcon, Play, Power, RotateCw, Square } from 'lucide-react'
import { canPower, type PowerAct, UNDER_WAY } from '#shared/rules/instance-power.ts'
import { api } from '../api/table.ts'
import { useAction } from '../api/use-action.ts'
import { instanceName } from '../lib/instance-status.ts'
import { Button } from '../ui/button.tsx'
import { showStatus } from './power-cache.ts'
import { ACT_LABELS, type Audience, DONE, powerFailure } from './power-words.ts'

const ICONS: Record<PowerAct, LucideIcon> = {
  start: Play,
  stop: Square,
  shutdown: Power,
  restart: RotateCw,
}

const ADMIN_LISTS = [api.instances.list, api.instances.status, api.dashboard.clients, api.stats.get]
const CLIENT_LISTS = [api.client.instances, api.instances.status, api.stats.get]

type Powered = { id: number; name: string; vmId: number; status: string }

type PowerButtonsProps = {
  instance: Powered
  acts: readonly PowerAct[]
  audience: Audience
  /** Icons alone where there are many rows. */
  hasText?: boolean
  /** Leaves out what the state does not allow, instead of disabling it. */
  isBrief?: boolean
}

export function PowerButtons({ acts, isBrief = false, ...props }: PowerButtonsProps) {
  const allowed = canPower(props.instance.status)
  const shown = isBrief ? acts.filter((act) => allowed[act]) : acts
  return shown.map((act) => <PowerButton key={act} act={act} {...props} />)
}

type PowerButtonProps = Omit<PowerButtonsProps, 'acts' | 'isBrief'> & { act: PowerAct }

/** Says at once what it is doing; a refusal puts the old state back. */
function PowerButton({ act, instance, audience, hasText = false }: PowerButtonProps) {
  const client = useQueryClient()
  const power = useAction(api.instances[act], {
    done: DONE[act],
    failed: (error) => powerFailure(act, audience, error),
    refresh: audience === 'admin' ? ADMIN_LISTS : CLIENT_LISTS,
  })
  const refusal = canPower(instance.status).refusal(act)

  async function run() {
    const before = instance.status
    showStatus(client, instance.id, UNDER_WAY[act])
    const outcome = await power.run({ params: { id: instance.id } })
    showStatus(client, instance.id, outcome.ok ? outcome.result.status : before)
  }

  const Icon = ICONS[act]
  const label = ACT_LABELS[act]
  return (
    <Button
      variant={hasText ? 'secondary' : 'ghost'}
      size={hasText ? 'sm' : 'icon'}
      aria-label={`${label} ${instanceName(instance)}`}
      title={refusal ? `${label}: ${refusal.reason}` : label}
      disabled={refusal !== undefined}
      isPending={power.isPending}
      onClick={() => void run()}
    >
      {!power.isPending && <Icon aria-hidden="true" className={hasText ? 'size-3.5' : 'size-4'} />}
      {hasText && label}
    </Button>
  )
}

import { type LucideIcon, Play, Power, RotateCw, Square } from 'lucide-react'
import { type PowerAct, powerRefusal } from '#shared/rules/instance/instance-power.ts'
import { useMe } from '../../api/session.ts'
import { instanceName } from '../../lib/instance/instance-status.ts'
import { Button } from '../../ui/form/button.tsx'
import { ACT_LABELS, type Audience } from './power-words.ts'
import type { Powered } from './powered.ts'
import { askToStop } from './stop-request.ts'
import { usePower } from './use-power.ts'

const ICONS: Record<PowerAct, LucideIcon> = {
  start: Play,
  stop: Square,
  shutdown: Power,
  restart: RotateCw,
}

type PowerButtonsProps = {
  instance: Powered
  acts: readonly PowerAct[]
  audience: Audience
  /** Icons only, where there are many rows. */
  hasText?: boolean
  /** Hides the actions that the state does not allow, instead of disabling them. */
  isBrief?: boolean
}

export function PowerButtons({ acts, isBrief = false, ...props }: PowerButtonsProps) {
  // Not by useMay: the console's page would need one more file for it.
  const { duties } = useMe()
  if (duties && !duties.includes('help')) return null
  const shown = isBrief ? acts.filter((act) => refusalOf(props, act) === undefined) : acts
  return shown.map((act) => <PowerButton key={act} act={act} {...props} />)
}

const refusalOf = (
  { instance, audience }: Pick<PowerButtonsProps, 'instance' | 'audience'>,
  act: PowerAct,
) => powerRefusal({ ...instance, isOwner: audience === 'client' }, act)

type PowerButtonProps = Omit<PowerButtonsProps, 'acts' | 'isBrief'> & { act: PowerAct }

function PowerButton({ act, ...props }: PowerButtonProps) {
  return act === 'stop' ? <StopButton {...props} /> : <ActButton act={act} {...props} />
}

type ButtonProps = Omit<PowerButtonProps, 'act'>

/** Opens the confirmation; a single press never switches a server off. */
function StopButton(props: ButtonProps) {
  return <Look act="stop" {...props} onPress={() => askToStop(props.instance, props.audience)} />
}

function ActButton({ act, ...props }: ButtonProps & { act: Exclude<PowerAct, 'stop'> }) {
  const power = usePower(act, props.audience)
  return (
    <Look
      act={act}
      {...props}
      isPending={power.isPending}
      onPress={() => void power.run(props.instance)}
    />
  )
}

type LookProps = PowerButtonProps & { isPending?: boolean; onPress: () => void }

function Look({ act, instance, audience, hasText, isPending = false, onPress }: LookProps) {
  const refusal = refusalOf({ instance, audience }, act)
  const Icon = ICONS[act]
  const label = ACT_LABELS[act]
  return (
    <Button
      variant={hasText ? 'secondary' : 'ghost'}
      size={hasText ? 'sm' : 'icon'}
      aria-label={`${label} ${instanceName(instance)}`}
      title={refusal ? `${label}: ${refusal}` : label}
      disabled={refusal !== undefined}
      isPending={isPending}
      onClick={onPress}
    >
      {!isPending && <Icon aria-hidden="true" className={hasText ? 'size-3.5' : 'size-4'} />}
      {hasText && label}
    </Button>
  )
}

import { Play, Power, RotateCw, Square, SquareTerminal } from 'lucide-react'
import { type PowerAct, powerRefusal } from '#shared/rules/instance/instance-power.ts'
import { useMay } from '../../api/session.ts'
import { instanceName } from '../../lib/instance/instance-status.ts'
import type { Area } from '../../lib/paths/page-title.ts'
import { consolePath } from '../../lib/paths/paths.ts'
import type { CommandEntry } from '../../ui/menu/command-list.tsx'
import { matcher } from '../../widgets/list/matcher.ts'
import { ACT_LABELS } from '../../widgets/power/power-words.ts'
import type { Powered } from '../../widgets/power/powered.ts'
import { askToStop } from '../../widgets/power/stop-request.ts'
import { usePower } from '../../widgets/power/use-power.ts'

const AT_MOST = 5
const ICONS = { start: Play, stop: Square, shutdown: Power, restart: RotateCw }
/** The same actions as the buttons of the two areas. */
const ACTS: Record<Area, readonly PowerAct[]> = {
  client: ['start', 'restart', 'shutdown', 'stop'],
  admin: ['start', 'restart', 'shutdown', 'stop'],
}

/**
 * "Restart mail", "Console of mail": the actions that are possible on each server now; its screen
 * always.
 */
export function usePowerEntries(
  area: Area,
  search: string,
  instances: readonly Powered[] | undefined,
): CommandEntry[] {
  const power = {
    start: usePower('start', area),
    shutdown: usePower('shutdown', area),
    restart: usePower('restart', area),
  }
  const [mayPress, mayLook] = [useMay('help'), useMay('run')]
  if (search.trim() === '') return []
  const fits = matcher(search)
  const found: CommandEntry[] = []
  const offer = (entry: CommandEntry) => {
    if (found.length < AT_MOST && fits(entry.label)) found.push(entry)
  }
  for (const instance of instances ?? []) {
    const name = instanceName(instance)
    const facts = { ...instance, isOwner: area === 'client' }
    const allowed = ACTS[area].filter((act) => powerRefusal(facts, act) === undefined)
    for (const act of mayPress ? allowed : []) {
      offer({
        id: `power ${act} ${instance.id}`,
        icon: ICONS[act],
        label: `${ACT_LABELS[act]} ${name}`,
        run: () => (act === 'stop' ? askToStop(instance, area) : void power[act].run(instance)),
      })
    }
    if (mayLook)
      offer({
        id: `console ${instance.id}`,
        icon: SquareTerminal,
        label: `Console of ${name}`,
        run: () => void window.open(consolePath(instance.id), '_blank', 'noopener'),
      })
    if (found.length === AT_MOST) break
  }
  return found
}

import type { ClientFirewall } from '#shared/rules/network/firewall-rules.ts'
import { FIREWALL_STARTERS } from '#shared/rules/network/firewall-starters.ts'
import { Select } from '../../../ui/form/select.tsx'

const OPTIONS = [
  { value: '', label: 'Begin with a list …' },
  ...FIREWALL_STARTERS.map(({ name, description }) => ({
    value: name,
    label: `${name}: ${description}`,
  })),
]

type StartersProps = { isDisabled: boolean; onChoose: (firewall: ClientFirewall) => void }

/** Fills the form; nothing is applied by it. */
export function Starters({ isDisabled, onChoose }: StartersProps) {
  return (
    <Select
      aria-label="Begin with a list"
      className="min-w-0 flex-1 basis-56"
      disabled={isDisabled}
      options={OPTIONS}
      value=""
      onChange={(event) => {
        const chosen = FIREWALL_STARTERS.find(({ name }) => name === event.target.value)
        if (chosen) onChoose(chosen.firewall)
      }}
    />
  )
}

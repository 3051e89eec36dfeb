import { AppError } from '#shared/errors.ts'

type Named = { label: string | null; name: string; vmId: number }

/**
 * What a person types before something irreversible: the label its client gave it, else the VM id.
 * The name it was sold by is long, and not unique.
 */
export const nameToType = ({ label, vmId }: Pick<Named, 'label' | 'vmId'>): string =>
  label ?? String(vmId)

/** A slip must not end or erase a server. The name is accepted, too. */
export function requireTyped(row: Named, typed: string): void {
  if ([row.label, row.name, String(row.vmId)].includes(typed)) return
  throw new AppError('INVALID_INPUT', `Type ${nameToType(row)} to confirm.`)
}

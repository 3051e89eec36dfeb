import type { ReactNode } from 'react'
import type { Duty } from '#shared/rules/people/roles.ts'
import { useMay } from '../../api/session.ts'

/** Hides from the staff what their role may not do. */
export function May({ duty, children }: { duty: Duty; children: ReactNode }) {
  return useMay(duty) ? children : null
}

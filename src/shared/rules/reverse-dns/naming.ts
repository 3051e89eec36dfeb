import type { Family } from '../network/ip.ts'
import type { PoolProblem } from '../network/pool.ts'
import { patternProblem } from './name-pattern.ts'
import { zoneProblem } from './reverse-name.ts'

type Naming = {
  family: Family
  cidr: string
  rdns?: string | null | undefined
  rdnsPattern?: string | null | undefined
}

/** What is wrong with the zone of a pool and the names its addresses have, each at its field. */
export function namingProblems({ family, cidr, rdns, rdnsPattern }: Naming): PoolProblem[] {
  const problems: PoolProblem[] = []
  const add = (field: string, message: string | undefined) => {
    if (message !== undefined) problems.push({ path: [field], message })
  }
  if (rdns) add('rdns', zoneProblem(cidr, rdns))
  if (rdnsPattern) {
    add('rdnsPattern', patternProblem(rdnsPattern, family))
    if (!rdns) add('rdns', 'Names are written to a zone: enter the reverse zone too.')
  }
  return problems
}

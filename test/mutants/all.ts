import { ACCESS } from './access.ts'
import { MACHINES } from './machines.ts'
import { MONEY } from './money.ts'
import { numbered } from './mutant.ts'
import { SERVERS } from './servers.ts'

export const ALL = numbered([...ACCESS, ...MONEY, ...MACHINES, ...SERVERS])

import { backupRoutes } from './backup/backup-routes.ts'
import { restoreRoutes } from './backup/restore-route.ts'
import { firewallIpsetRoutes } from './firewall/ipset-routes.ts'
import { firewallOptionRoutes } from './firewall/option-routes.ts'
import { firewallRuleRoutes } from './firewall/rule-routes.ts'
import type { Route } from './http/route.ts'
import { accessRoutes } from './routes/access.ts'
import { clusterRoutes } from './routes/cluster.ts'
import { nodeRoutes } from './routes/nodes.ts'
import { poolRoutes } from './routes/pools.ts'
import { qemuRoutes } from './routes/qemu.ts'
import { qemuAgentRoutes } from './routes/qemu-agent.ts'
import { qemuConfigRoutes } from './routes/qemu-config.ts'
import { qemuConsoleRoutes } from './routes/qemu-console.ts'
import { qemuPowerRoutes } from './routes/qemu-power.ts'
import { qemuSnapshotRoutes } from './routes/qemu-snapshots.ts'
import { storageRoutes } from './routes/storage.ts'
import { taskRoutes } from './routes/tasks.ts'

/**
 * Every call this cluster supports. To add migration: one file
 * in `routes/`, its routes here, its workers in `job-table.ts`.
 */
export const ROUTES: Route[] = [
  ...accessRoutes,
  ...clusterRoutes,
  ...nodeRoutes,
  ...storageRoutes,
  ...taskRoutes,
  ...qemuRoutes,
  ...qemuConfigRoutes,
  ...qemuPowerRoutes,
  ...qemuSnapshotRoutes,
  ...backupRoutes,
  ...restoreRoutes,
  ...qemuAgentRoutes,
  ...qemuConsoleRoutes,
  ...firewallOptionRoutes,
  ...firewallIpsetRoutes,
  ...firewallRuleRoutes,
  ...poolRoutes,
]

import type { Route } from '../http/route.ts'
import { accessRoutes } from './access.ts'
import { clusterRoutes } from './cluster.ts'
import { nodeRoutes } from './nodes.ts'
import { poolRoutes } from './pools.ts'
import { qemuRoutes } from './qemu.ts'
import { qemuAgentRoutes } from './qemu-agent.ts'
import { qemuConfigRoutes } from './qemu-config.ts'
import { qemuConsoleRoutes } from './qemu-console.ts'
import { qemuPowerRoutes } from './qemu-power.ts'
import { qemuSnapshotRoutes } from './qemu-snapshots.ts'
import { storageRoutes } from './storage.ts'
import { taskRoutes } from './tasks.ts'

/**
 * Every call this cluster supports. To add snapshots, backups, firewall or migration: one file
 * beside these, its routes here, its workers in `jobs/all.ts`.
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
  ...qemuAgentRoutes,
  ...qemuConsoleRoutes,
  ...poolRoutes,
]

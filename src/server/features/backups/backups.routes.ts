import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { backupsService } from './backups.service.ts'

export function backupsRoutes(
  app: FastifyInstance,
  backups: ReturnType<typeof backupsService>,
): void {
  implement(app, api.backupOverview, { get: () => backups.overview() })
}

import { ClusterSettings } from '#shared/api/servers/clusters.ts'
import { checked } from '../../lib/forms/zod-resolver.ts'

/** As typed: numbers are strings. */
export type SettingsFields = {
  firstVmId: string
  lastVmId: string
  pool: string
  storage: string
  backupStorage: string
  cloneMode: 'full' | 'linked'
  directConsole: boolean
  guestAgent: boolean
}

export const fieldsOf = (settings: ClusterSettings): SettingsFields => ({
  firstVmId: String(settings.vmIdRange.first),
  lastVmId: String(settings.vmIdRange.last),
  pool: settings.pool ?? '',
  storage: settings.storage ?? '',
  backupStorage: settings.backupStorage ?? '',
  cloneMode: settings.cloneMode,
  directConsole: settings.directConsole,
  guestAgent: settings.guestAgent,
})

const number = (text: string) => (text.trim() === '' ? Number.NaN : Number(text))
const orNull = (text: string) => text.trim() || null

export const settingsOf = (fields: SettingsFields): ClusterSettings => ({
  vmIdRange: { first: number(fields.firstVmId), last: number(fields.lastVmId) },
  pool: orNull(fields.pool),
  storage: orNull(fields.storage),
  backupStorage: orNull(fields.backupStorage),
  cloneMode: fields.cloneMode,
  directConsole: fields.directConsole,
  guestAgent: fields.guestAgent,
})

/** Where the form keeps a field that the schema names differently. */
const FORM_PATHS: Record<string, string> = {
  'vmIdRange.first': 'firstVmId',
  'vmIdRange.last': 'lastVmId',
  vmIdRange: 'lastVmId',
}

/** The schema's sentences, at the fields of the form. */
export function checkSettings(fields: SettingsFields) {
  const issues = ClusterSettings.safeParse(settingsOf(fields)).error?.issues ?? []
  return checked(
    issues.map(({ path, message }) => {
      const renamed = FORM_PATHS[path.join('.')]
      return { path: renamed ? [renamed] : path, message: plain(message, renamed) }
    }),
  )
}

/** The schema has no sentence of its own for numbers. */
function plain(message: string, field: string | undefined): string {
  return field && message.startsWith('Invalid') ? 'VM id must be a whole number' : message
}

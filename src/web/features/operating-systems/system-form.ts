import {
  type OperatingSystem,
  OperatingSystemCreate,
} from '#shared/api/servers/operating-systems.ts'

export type SystemFields = { name: string; description: string }

export const EMPTY_SYSTEM: SystemFields = { name: '', description: '' }

export const fieldsOf = ({ name, description }: OperatingSystem): SystemFields => ({
  name,
  description: description ?? '',
})

export const checkSystem = (fields: SystemFields) => OperatingSystemCreate.safeParse(fields)

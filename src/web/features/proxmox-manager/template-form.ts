import type { z } from 'zod'
import { type TemplateConfig, TemplateConfigUpdate } from '#shared/api/servers/templates.ts'

/** As typed. */
export type TemplateFields = { memory: string; cores: string; description: string; onboot: boolean }

export const fieldsOf = (config: z.output<typeof TemplateConfig>): TemplateFields => ({
  memory: String(config.memory),
  cores: String(config.cores),
  description: config.description,
  onboot: config.onboot === 1,
})

/** Memory and cores are whole numbers, and not sent if empty; a description may be empty. */
export const bodyOf = ({ memory, cores, description, onboot }: TemplateFields) => ({
  ...(memory.trim() !== '' && { memory: Number(memory) }),
  ...(cores.trim() !== '' && { cores: Number(cores) }),
  description: description.trim(),
  onboot: onboot ? (1 as const) : (0 as const),
})

const SENTENCES: Record<string, string> = {
  memory: 'Memory must be a whole number, at least 16 MB',
  cores: 'Cores must be a whole number from 1 to 128',
}

export function checkTemplate(fields: TemplateFields) {
  const result = TemplateConfigUpdate.safeParse(bodyOf(fields))
  if (result.success) return result
  const issues = result.error.issues.map(({ path, message }) => ({
    path,
    message: SENTENCES[String(path[0])] ?? message,
  }))
  return { success: false as const, error: { issues } }
}

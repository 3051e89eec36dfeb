import { z } from 'zod'
import { Flag, Id, idParams, optionalText, required } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

export const Template = z.object({
  id: Id,
  nodeId: Id,
  name: z.string(),
  /** The VM id of the template in the cluster. */
  templateId: z.number().int(),
  osType: z.string().nullable(),
  description: z.string().nullable(),
})
export type Template = z.output<typeof Template>

export const TemplateConfig = z.object({
  memory: z.number(),
  cores: z.number(),
  description: z.string(),
  onboot: Flag,
})

/** The form omits empty figures; a field that is not sent is not changed. */
export const TemplateConfigUpdate = z.object({
  memory: z.number().int().min(16).max(4_194_304).optional(),
  cores: z.number().int().min(1).max(128).optional(),
  description: optionalText(8000).optional(),
  onboot: Flag.optional(),
})

export const templates = {
  list: route({
    method: 'GET',
    path: '/api/templates',
    access: 'admin',
    staff: 'look',
    summary: 'All templates',
    response: z.array(Template),
  }),
  config: route({
    method: 'GET',
    path: '/api/templates/:id/config',
    access: 'admin',
    staff: 'run',
    summary: 'The configuration of a template',
    params: idParams,
    response: TemplateConfig,
  }),
  setConfig: route({
    method: 'PUT',
    path: '/api/templates/:id/config',
    access: 'admin',
    staff: 'run',
    summary: 'Change the configuration of a template',
    params: idParams,
    body: TemplateConfigUpdate,
    response: TemplateConfig,
  }),
  clone: route({
    method: 'POST',
    path: '/api/templates/:id/clone',
    idempotent: true,
    access: 'admin',
    staff: 'run',
    summary: 'Make a VM from a template, as a job',
    params: idParams,
    body: z.object({ name: required('Instance name is required', 100) }),
    response: z.object({ jobId: z.string() }),
    status: 202,
  }),
}

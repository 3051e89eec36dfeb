import { type Token, TokenCreate, type TokenType, TokenUpdate } from '#shared/api/shop/tokens.ts'
import { type Check, checked, type Issue } from '../../../lib/forms/zod-resolver.ts'

/** The typed and chosen values, as text. */
export type TokenFields = {
  name: string
  tokenType: TokenType
  nodeId: string
  templateId: string
  instanceId: string
  ipAddress: string
  macAddress: string
  monthlyPrice: string
  durationDays: string
  clientIpAddress: string
  domain: string
  username: string
  password: string
  osType: string
}

export const EMPTY_TOKEN: TokenFields = {
  name: '',
  tokenType: 'ip_mac',
  nodeId: '',
  templateId: '',
  instanceId: '',
  ipAddress: '',
  macAddress: '',
  monthlyPrice: '',
  durationDays: '30',
  clientIpAddress: '',
  domain: '',
  username: '',
  password: '',
  osType: '',
}

const text = (value: string | number | null): string => (value === null ? '' : String(value))
const idOf = (value: string): number | null => (value === '' ? null : Number(value))

export const fieldsOf = (token: Token): TokenFields => ({
  name: token.name,
  tokenType: token.tokenType,
  nodeId: text(token.nodeId),
  templateId: text(token.templateId),
  instanceId: text(token.instanceId),
  ipAddress: text(token.ipAddress),
  macAddress: text(token.macAddress),
  monthlyPrice: token.monthlyPrice,
  durationDays: String(token.durationDays),
  clientIpAddress: text(token.clientIpAddress),
  domain: text(token.domain),
  username: token.username,
  // Lists carry no password; an empty field keeps the stored one.
  password: '',
  osType: token.osType,
})

/** A copy to be sold beside the first: values that must be unique have to be chosen again. */
export const copyOf = (token: Token, password: string): TokenFields => ({
  ...fieldsOf(token),
  name: `${token.name} (Copy)`.slice(0, 100),
  instanceId: '',
  ipAddress: '',
  macAddress: '',
  clientIpAddress: '',
  domain: '',
  password,
})

/** The fields that a new type invalidates. */
export const clearedByType = (type: TokenType): Partial<TokenFields> =>
  type === 'ready' ? { ipAddress: '', macAddress: '', templateId: '' } : { instanceId: '' }

/** The fields that a new node invalidates. */
export const CLEARED_BY_NODE = { templateId: '', instanceId: '' } satisfies Partial<TokenFields>

export function createBody(fields: TokenFields) {
  const isReady = fields.tokenType === 'ready'
  return {
    name: fields.name,
    tokenType: fields.tokenType,
    nodeId: Number(fields.nodeId),
    templateId: isReady ? null : idOf(fields.templateId),
    instanceId: isReady ? idOf(fields.instanceId) : null,
    ipAddress: isReady ? null : fields.ipAddress.trim(),
    macAddress: isReady ? null : fields.macAddress.trim() || null,
    monthlyPrice: fields.monthlyPrice.trim(),
    durationDays: Number(fields.durationDays),
    clientIpAddress: fields.clientIpAddress.trim() || null,
    domain: fields.domain.trim() || null,
    username: fields.username,
    password: fields.password,
    osType: fields.osType,
  }
}

/** Like a new one; an empty price means free, an empty duration means 30 days. */
export function duplicateBody(fields: TokenFields) {
  const { instanceId, ...body } = createBody(fields)
  const isDays = fields.durationDays.trim() !== '' && !Number.isNaN(body.durationDays)
  return {
    ...body,
    assignedInstanceId: instanceId,
    monthlyPrice: body.monthlyPrice || '0',
    durationDays: isDays ? body.durationDays : 30,
  }
}

export function updateBody(fields: TokenFields) {
  const { name, ipAddress, macAddress, username, password, osType, nodeId, templateId } =
    createBody(fields)
  const fieldsOfAll = { name, ipAddress, macAddress, username, osType, nodeId, templateId }
  return password === '' ? fieldsOfAll : { ...fieldsOfAll, password }
}

/** An optional field loses its schema's sentence; this restores it. */
const worded = ({ path, message }: Issue): Issue =>
  path[0] === 'macAddress' ? { path, message: 'Invalid MAC address format' } : { path, message }

const issuesOf = (result: { error?: { issues: readonly Issue[] } | undefined }): Issue[] =>
  (result.error?.issues ?? []).map(worded)

export const checkCreate = (fields: TokenFields): Check =>
  checked(issuesOf(TokenCreate.safeParse(createBody(fields))))

export const checkDuplicate = (fields: TokenFields): Check =>
  checked(
    issuesOf(TokenCreate.safeParse(duplicateBody(fields))).map(({ path, message }) =>
      path[0] === 'osType' && !fields.osType
        ? { path, message: 'OS type is required' }
        : { path, message },
    ),
  )

/** A token's required fields depend on its type (T9). */
export function checkUpdate(fields: TokenFields): Check {
  const issues = issuesOf(TokenUpdate.safeParse(updateBody(fields)))
  if (fields.tokenType === 'ready') return checked(issues)
  if (!fields.ipAddress.trim()) issues.push({ path: ['ipAddress'], message: 'Invalid IP address' })
  if (!fields.templateId) issues.push({ path: ['templateId'], message: 'Please select a template' })
  return checked(issues)
}

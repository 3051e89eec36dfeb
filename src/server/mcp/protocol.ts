import { z } from 'zod'
import type { ToolResult } from './call-tool.ts'
import { describeTool, type Tool } from './tools.ts'

/** Newest first; all of them are the same for what we serve. */
export const PROTOCOL_VERSIONS = ['2025-06-18', '2025-03-26', '2024-11-05']

/** The numbers of JSON-RPC 2.0. */
const FAULTS = { request: -32600, method: -32601, params: -32602 } as const

type Json = Record<string, unknown>
type Id = string | number

const Message = z.object({
  jsonrpc: z.literal('2.0'),
  /** A notification has none. */
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
})

const Asked = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).default({}),
})

type Place = {
  /** Those that the caller may use. */
  tools: Tool[]
  call(tool: Tool, input: Json): Promise<ToolResult>
  server: { name: string; version: string }
}

/** The answer to one message; undefined to a notification, which has none. */
export async function answerMessage(message: unknown, place: Place): Promise<Json | undefined> {
  const read = Message.safeParse(message)
  if (!read.success) {
    const { id } = Object(message) as { id?: unknown }
    const known = typeof id === 'string' || typeof id === 'number' ? id : null
    return fault(known, 'request', 'This is no single request of JSON-RPC 2.0.')
  }
  const { id, method, params = {} } = read.data
  if (id === undefined) return undefined
  switch (method) {
    case 'initialize':
      return done(id, welcome(params, place))
    case 'ping':
      return done(id, {})
    case 'tools/list':
      return done(id, { tools: place.tools.map(describeTool) })
    case 'tools/call':
      return await callAsked(id, params, place)
    default:
      return fault(id, 'method', `There is no method ${method}: we serve tools only.`)
  }
}

function welcome(params: Json, { server }: Place): Json {
  const asked = PROTOCOL_VERSIONS.find((version) => version === params.protocolVersion)
  return {
    protocolVersion: asked ?? PROTOCOL_VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: server,
    instructions:
      'Virtual servers of one account. Tools that change something are there only at the address ' +
      'with ?allow=changes and within the scopes of the key; what cannot be taken back is first ' +
      'shown and only done when the same call is repeated with the confirmation it asks for.',
  }
}

async function callAsked(id: Id, params: Json, { tools, call }: Place): Promise<Json> {
  const asked = Asked.safeParse(params)
  if (!asked.success) return fault(id, 'params', 'Name a tool and its arguments.')
  const tool = tools.find(({ name }) => name === asked.data.name)
  if (!tool) {
    const sentence = `This key has no tool ${asked.data.name} here: see tools/list.`
    return fault(id, 'params', sentence)
  }
  return done(id, await call(tool, asked.data.arguments))
}

const done = (id: Id, result: Json): Json => ({ jsonrpc: '2.0', id, result })

const fault = (id: Id | null, kind: keyof typeof FAULTS, message: string): Json => ({
  jsonrpc: '2.0',
  id,
  error: { code: FAULTS[kind], message },
})

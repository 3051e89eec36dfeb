import type { Route } from '#shared/api/parts/route.ts'
import type { Random } from '../lib/random.ts'
import { confirmationOf, readConfirmation } from './confirmation.ts'
import { showingOf, shownOf } from './shown.ts'
import { CONFIRMATION, type Tool } from './tools.ts'

type Input = Record<string, unknown>

/** One call of our own API, with the key of the caller. */
export type Send = (request: {
  method: Route['method']
  url: string
  body?: Input
  idempotencyKey?: string
}) => Promise<{ status: number; text: string }>

export type ToolResult = { content: { type: 'text'; text: string }[]; isError: boolean }

const result = (text: string, isError: boolean): ToolResult => ({
  content: [{ type: 'text', text }],
  isError,
})

/**
 * Calls a tool: the request that its arguments make, sent with the caller's own key. One that asks
 * is only sent with the confirmation of what its first call showed.
 */
export async function callTool(
  tool: Tool,
  given: Input,
  { send, secret, random }: { send: Send; secret: string; random: Random },
): Promise<ToolResult> {
  const { [CONFIRMATION]: confirmation, ...input } = given
  const odd = wrongArgument(tool, input)
  if (odd !== undefined) return result(odd, true)
  const request = requestOf(tool, input)
  if (!tool.asks) return answer(await send(request))

  const asked = typeof confirmation === 'string' ? confirmation : undefined
  const agreed = asked && readConfirmation(secret, { tool: tool.name, input }, asked)
  const found = await look(tool, input, send)
  if ('isError' in found) return found
  // What can no longer be seen was perhaps bought with this confirmation, and its answer lost.
  const isAgreed = agreed && (found.what === undefined || agreed.isOf(found.what))
  if (isAgreed) {
    // However often one confirmation is sent, it buys once.
    const once = tool.route.idempotent && { idempotencyKey: `${tool.name} ${agreed.word}` }
    return answer(await send({ ...request, ...once }))
  }
  if (!found.what) return result('There is nothing with this id.', true)
  const intent = { tool: tool.name, input, ...found.what }
  const phrase = confirmationOf(secret, intent, random.bytes(4).toString('hex'))
  const text = JSON.stringify({
    done: false,
    message: `${asked === undefined ? NOT_YET : CHANGED} ${tool.route.summary}. Look at what it is about; if this is wanted, call ${tool.name} again with the same arguments and this ${CONFIRMATION}.`,
    about: found.what.shown,
    [CONFIRMATION]: phrase,
  })
  return result(text, asked !== undefined)
}

const NOT_YET = 'Nothing was done yet.'
const CHANGED =
  'Nothing was done: this confirmation is for something else, or what it was for has changed.'

/** What a call is about, as its caller may see it; the refusal where it may not. */
async function look(tool: Tool, input: Input, send: Send) {
  const showing = showingOf(tool.route)
  if (!showing) throw new Error(`nothing is shown before ${tool.name}`)
  const looked = await send({ method: showing.by.method, url: pathOf(showing.by, input) })
  if (looked.status >= 300) return answer(looked)
  return { what: shownOf(showing, JSON.parse(looked.text), input) }
}

/** A sentence about an argument that the tool does not have, or that it lacks. */
function wrongArgument({ name, places, route }: Tool, input: Input): string | undefined {
  const unknown = Object.keys(input).find((argument) => !places.has(argument))
  if (unknown !== undefined) return `${name} has no argument ${unknown}.`
  const lacking = Object.keys(route.params?.shape ?? {}).find((param) => !isWord(input[param]))
  return lacking && `${name} needs ${lacking}, a number or a text.`
}

const isWord = (value: unknown) =>
  typeof value === 'number' || (typeof value === 'string' && !!value)

/** The path with its parameters, each as one segment whatever it holds. */
const pathOf = ({ path }: Pick<Route, 'path'>, input: Input): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(input[name])))

function requestOf({ route, places }: Tool, input: Input): Parameters<Send>[0] {
  const query = new URLSearchParams()
  const body: Input = {}
  for (const [argument, value] of Object.entries(input)) {
    if (places.get(argument) === 'query') query.set(argument, String(value))
    if (places.get(argument) === 'body') body[argument] = value
  }
  const search = query.size > 0 ? `?${query}` : ''
  return {
    method: route.method,
    url: `${pathOf(route, input)}${search}`,
    ...(route.body && { body }),
  }
}

/** An answer without a body says that it is done; a refusal says why, as the API does. */
const answer = ({ status, text }: { status: number; text: string }): ToolResult =>
  result(text === '' ? JSON.stringify({ done: true }) : text, status >= 400)

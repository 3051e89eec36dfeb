import type { Version } from '../state/types.ts'
import { traits } from '../state/versions.ts'
import { PveError, textOf } from './errors.ts'

/** An HTTP answer before it is written, so that faults can still change it. */
export type Answer = {
  status: number
  reason: string
  /** Content type; '' where the server sends none. */
  type: string
  body: string
}

const JSON_TYPE = 'application/json;charset=UTF-8'

const TOTAL = Symbol('total')

/** A page of a list: PVE sends the full count beside the data. */
type Paged = { [TOTAL]: number; data: unknown }

export const paged = (data: unknown, total: number): Paged => ({ data, [TOTAL]: total })

const isPaged = (value: unknown): value is Paged =>
  typeof value === 'object' && value !== null && TOTAL in value

export function success(result: unknown): Answer {
  const body = isPaged(result)
    ? { data: result.data, total: result[TOTAL] }
    : { data: result === undefined ? null : result }
  return { status: 200, reason: 'OK', type: JSON_TYPE, body: JSON.stringify(body) }
}

/** Reason phrases are one line of Latin-1. */
const phrase = (text: string) =>
  (text.split('\n')[0] ?? '').replace(/[^\t\x20-\x7e\xa0-\xff]/g, '?')

export function failure(error: unknown, version: Version): Answer {
  const known = error instanceof PveError ? error : undefined
  const status = known?.status ?? 500
  const message = textOf(error)
  const reason = phrase(message)
  if (known?.emptyBody) return { status, reason, type: '', body: '' }
  if (known?.plain) return { status, reason, type: '', body: message }
  const body = {
    data: null,
    ...(known?.errors ? { errors: known.errors } : {}),
    ...(traits(version).messageInBody ? { message: known?.bare ? message : `${message}\n` } : {}),
  }
  return { status, reason, type: JSON_TYPE, body: JSON.stringify(body) }
}

const page = (title: string, text: string) =>
  `<!DOCTYPE html>\n<html><head><title>${title}</title></head>\n<body><h1>${title}</h1><p>${text}</p></body></html>\n`

export function html(status: number, reason: string, text: string): Answer {
  return {
    status,
    reason,
    type: 'text/html; charset=utf-8',
    body: page(`${status} ${reason}`, text),
  }
}

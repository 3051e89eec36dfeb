import { describe, expect, test } from 'vitest'
import { breakingChanges } from './breaking-changes.ts'
import { type Document, factsOf } from './facts.ts'

type Json = Record<string, unknown>

const SERVER = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    state: { type: 'string', enum: ['on', 'off'] },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    disks: { type: 'array', items: { type: 'object', properties: { size: { type: 'number' } } } },
  },
  required: ['id', 'state'],
}
const WISH = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    system: { type: 'string', enum: ['debian', 'alpine'] },
    size: { type: 'number' },
  },
  required: ['name'],
}
const LIMIT = { name: 'limit', in: 'query', required: false, schema: { type: 'integer' } }

const json = (schema: Json) => ({ content: { 'application/json': { schema } } })
const documentOf = (operation: Json, path = '/api/servers', method = 'post') =>
  ({ paths: { [path]: { [method]: operation } } }) as unknown as Document
const operation = { parameters: [LIMIT], requestBody: json(WISH), responses: { 201: json(SERVER) } }

const before = factsOf(documentOf(operation))
const changesTo = (change: Json) =>
  breakingChanges(before, factsOf(documentOf({ ...operation, ...change })))
const ofWish = (properties: Json, required = WISH.required) =>
  changesTo({ requestBody: json({ ...WISH, properties, required }) })
const ofServer = (properties: Json, required = SERVER.required) =>
  changesTo({ responses: { 201: json({ ...SERVER, properties, required }) } })
const without = (from: Json, name: string) =>
  Object.fromEntries(Object.entries(from).filter(([key]) => key !== name))

const CALL = 'POST /api/servers'

describe('a breaking change', () => {
  test.each<[string, string[], string]>([
    [
      'a call that is gone',
      breakingChanges(before, factsOf(documentOf(operation, '/api/machines'))),
      `${CALL} is gone`,
    ],
    [
      'a call under another method',
      breakingChanges(before, factsOf(documentOf(operation, '/api/servers', 'put'))),
      `${CALL} is gone`,
    ],
    [
      'a parameter that is gone',
      changesTo({ parameters: [] }),
      `${CALL}: the parameter query limit is gone`,
    ],
    [
      'a parameter that became required',
      changesTo({ parameters: [{ ...LIMIT, required: true }] }),
      `${CALL}: the parameter query limit is now required`,
    ],
    [
      'a new parameter that is required',
      changesTo({ parameters: [LIMIT, { ...LIMIT, name: 'after', required: true }] }),
      `${CALL}: the new parameter query after is required`,
    ],
    [
      'a request field that is gone',
      ofWish(without(WISH.properties, 'size')),
      `${CALL}: the request field size is gone`,
    ],
    [
      'a request field that became required',
      ofWish(WISH.properties, ['name', 'size']),
      `${CALL}: the request field size is now required`,
    ],
    [
      'a new request field that is required',
      ofWish({ ...WISH.properties, proof: { type: 'string' } }, ['name', 'proof']),
      `${CALL}: the new request field proof is required`,
    ],
    [
      'a value of a request that is gone',
      ofWish({ ...WISH.properties, system: { type: 'string', enum: ['debian'] } }),
      `${CALL}: the request field system no longer takes "alpine"`,
    ],
    [
      'a list of values for what could be any',
      ofWish({ ...WISH.properties, name: { type: 'string', enum: ['web'] } }),
      `${CALL}: the request field name now takes certain values only`,
    ],
    [
      'another type in a request',
      ofWish({ ...WISH.properties, size: { type: 'string' } }),
      `${CALL}: the request field size no longer takes the type number`,
    ],
    [
      'a number where an integer came before',
      ofServer({ ...SERVER.properties, id: { type: 'number' } }),
      `${CALL}: the response field id can now have the type number`,
    ],
    [
      'another status',
      changesTo({ responses: { 200: json(SERVER) } }),
      `${CALL}: status 201 is gone`,
    ],
    [
      'a response field that is gone',
      ofServer(without(SERVER.properties, 'disks')),
      `${CALL}: the response field disks is gone`,
    ],
    [
      'a field that is gone inside of a list',
      ofServer({ ...SERVER.properties, disks: { type: 'array', items: { type: 'object' } } }),
      `${CALL}: the response field disks[].size is gone`,
    ],
    [
      'a response field that comes only sometimes',
      ofServer(SERVER.properties, ['id']),
      `${CALL}: the response field state is no longer always there`,
    ],
    [
      'another type in a response',
      ofServer({ ...SERVER.properties, id: { type: 'string' } }),
      `${CALL}: the response field id can now have the type string`,
    ],
    [
      'null where there was none',
      ofServer({ ...SERVER.properties, id: { type: ['integer', 'null'] } }),
      `${CALL}: the response field id can now have the type null`,
    ],
  ])('is %s', (_, changes, sentence) => {
    expect(changes).toContain(sentence)
  })
})

describe('no breaking change', () => {
  const more = { type: 'string' }
  const nested = { type: 'object', properties: { a: more }, required: ['a'] }
  test.each<[string, string[]]>([
    ['is the same again', changesTo({})],
    [
      'is a new optional parameter',
      changesTo({ parameters: [LIMIT, { ...LIMIT, name: 'after' }] }),
    ],
    ['is a new optional request field', ofWish({ ...WISH.properties, label: more })],
    ['is what a new optional object needs', ofWish({ ...WISH.properties, place: nested })],
    ['is a request field that became optional', ofWish(WISH.properties, [])],
    [
      'is a request that takes null, too',
      ofWish({ ...WISH.properties, size: { type: ['number', 'null'] } }),
    ],
    [
      'is a new value of a request',
      ofWish({ ...WISH.properties, system: { type: 'string', enum: ['debian', 'alpine', 'nix'] } }),
    ],
    [
      'is an integer where a number came before',
      ofServer({
        ...SERVER.properties,
        disks: {
          type: 'array',
          items: { type: 'object', properties: { size: { type: 'integer' } } },
        },
      }),
    ],
    ['is a new response field', ofServer({ ...SERVER.properties, label: more })],
    [
      'is a response field that is never null again',
      ofServer({ ...SERVER.properties, note: more }),
    ],
  ])('%s', (_, changes) => {
    expect(changes).toEqual([])
  })
})

test('a field of a union is required only if every part has it so', () => {
  const union = {
    anyOf: [
      {
        type: 'object',
        properties: { kind: { const: 'iso' }, id: { type: 'integer' } },
        required: ['kind', 'id'],
      },
      { type: 'object', properties: { kind: { const: 'url' } }, required: ['kind'] },
    ],
  }
  const { request } = factsOf(documentOf({ requestBody: json(union), responses: {} }))[CALL] ?? {}
  expect(request).toMatchObject({
    kind: { types: ['string'], values: ['"iso"', '"url"'], isRequired: true },
    id: { types: ['integer'], isRequired: false },
  })
})

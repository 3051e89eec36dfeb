import type { CallFacts, Facts, Field, Fields } from './facts.ts'

/**
 * What a program written for the API as it was can no longer rely on, a sentence each. New calls,
 * optional parameters and fields of answers break nothing.
 */
export const breakingChanges = (before: Facts, after: Facts): string[] =>
  Object.entries(before).flatMap(([call, was]) => {
    const now = after[call]
    return now ? changesOf(was, now).map((change) => `${call}: ${change}`) : [`${call} is gone`]
  })

function changesOf(was: CallFacts, now: CallFacts): string[] {
  return [
    ...sent('parameter', was.parameters, now.parameters),
    ...sent('request field', was.request, now.request),
    ...Object.entries(was.responses).flatMap(([status, fields]) => {
      const answer = now.responses[status]
      return answer ? received(fields, answer) : [`status ${status} is gone`]
    }),
  ]
}

/** Of what programs send, everything that was accepted must be, and nothing more be asked for. */
function sent(what: string, before: Fields, after: Fields): string[] {
  return [
    ...compare(what, before, after, (was, now) => [
      ...missing(now.types.includes('any') ? [] : was.types, now.types).map(
        (type) => `no longer takes the type ${type}`,
      ),
      ...narrowed(was, now),
      ...(now.isRequired && !was.isRequired ? ['is now required'] : []),
    ]),
    ...Object.entries(after)
      .filter(([name, { isRequired }]) => isRequired && !before[name] && isAsked(name, before))
      .map(([name]) => `the new ${what} ${name} is required`),
  ]
}

/** A new field inside of a new optional object asks nothing of a program that sends no such object. */
function isAsked(name: string, before: Fields): boolean {
  const above = name.replace(/(\.[^.[\]{}]+|\[\]|\{\})$/, '')
  return above === name || above in before
}

function narrowed(was: Field, now: Field): string[] {
  if (!now.values) return []
  if (!was.values) return ['now takes certain values only']
  return missing(was.values, now.values).map((value) => `no longer takes ${value}`)
}

/** Of what programs receive, every field must still come, in a type that it could have before. */
function received(before: Fields, after: Fields): string[] {
  return compare('response field', before, after, (was, now) => [
    ...missing(was.types.includes('any') ? [] : now.types, was.types).map(
      (type) => `can now have the type ${type}`,
    ),
    ...(was.isRequired && !now.isRequired ? ['is no longer always there'] : []),
  ])
}

function compare(
  what: string,
  before: Fields,
  after: Fields,
  changes: (was: Field, now: Field) => string[],
): string[] {
  return Object.entries(before).flatMap(([name, was]) => {
    const subject = name === '' ? what.replace(' field', '') : `${what} ${name}`
    const now = after[name]
    if (!now) return [`the ${subject} is gone`]
    return changes(was, now).map((change) => `the ${subject} ${change}`)
  })
}

/** Every integer is a number. */
const missing = (of: readonly string[], from: readonly string[]): string[] =>
  of.filter((one) => !from.includes(one) && !(one === 'integer' && from.includes('number')))

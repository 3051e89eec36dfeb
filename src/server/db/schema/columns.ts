import { type SQL, sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  bigint,
  integer,
  serial,
  text,
  timestamp,
  varchar,
} from 'drizzle-orm/pg-core'

export const id = () => serial().primaryKey()

/** A time in UTC with millisecond precision, like JavaScript's. */
export const moment = () => timestamp({ withTimezone: true, precision: 3, mode: 'date' })

export const createdAt = () => moment().notNull().defaultNow()

/** Money: integer cents, never a fraction. */
export const cents = () => integer()

export const bytes = () => bigint({ mode: 'number' })

/** A column whose type is this non-empty list; `oneOf` is its check. */
export const word = <Word extends string>(list: readonly Word[]) =>
  text({ enum: list as [Word, ...Word[]] })

export const oneOf = (column: AnyPgColumn, list: readonly string[]): SQL =>
  sql`${column} in (${sql.raw(list.map((word) => `'${word}'`).join(', '))})`

/** An id assigned by a payment provider. */
export const providerId = () => varchar({ length: 100 })

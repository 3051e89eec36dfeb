import { bigint, integer, serial, timestamp, varchar } from 'drizzle-orm/pg-core'

export const id = () => serial().primaryKey()

/** A moment in UTC, to the millisecond, as JavaScript counts. */
export const moment = () => timestamp({ withTimezone: true, precision: 3, mode: 'date' })

export const createdAt = () => moment().notNull().defaultNow()

/** Money: integer cents, never a fraction. */
export const cents = () => integer()

export const bytes = () => bigint({ mode: 'number' })

/** An id that a payment provider gave out. */
export const providerId = () => varchar({ length: 100 })

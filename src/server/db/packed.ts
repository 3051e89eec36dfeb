import { Column, type GetColumnData, is, SQL, sql } from 'drizzle-orm'
import { PgColumn } from 'drizzle-orm/pg-core'

type Field = PgColumn | SQL | LookUp<unknown> | Fields
type Fields = { [name: string]: Field }
type ValueOf<F> = F extends PgColumn
  ? GetColumnData<F>
  : F extends SQL<infer Value>
    ? Value
    : F extends LookUp<infer Found>
      ? Found
      : Packed<F>
export type Packed<F> = { [Name in keyof F]: ValueOf<F[Name]> }

type Read = (value: unknown) => unknown
/** Without `read` the value is taken as it is. */
type Reader = { name: string; read: Read | undefined }

/** Rows of another table, to be named among the fields of `packed`. */
export class LookUp<Found> {
  declare readonly found: Found
  readonly fields: Fields
  readonly from: SQL
  readonly isList: boolean

  constructor(fields: Fields, from: SQL, isList: boolean) {
    this.fields = fields
    this.from = from
    this.isList = isList
  }
}

/**
 * Fields of another row that is looked up by itself; null if there is none. `from` is all that
 * follows the word. In a join, PostgreSQL would set up every field again at each further join.
 */
export const packedRow = <F extends Fields>(fields: F, from: SQL) =>
  new LookUp<Packed<F> | null>(fields, from, false)

/** The same of several rows. An aggregate would be one more step for PostgreSQL. */
export const packedRows = <F extends Fields>(fields: F, from: SQL) =>
  new LookUp<Packed<F>[]>(fields, from, true)

/**
 * Many fields as one value. The driver describes each column of an answer, and Drizzle maps it: for
 * the eighty of the page of a server that took as long as the query.
 */
export function packed<F extends Fields>(fields: F): SQL<Packed<F>> {
  const { value, read } = pack(fields)
  return value.mapWith(read) as SQL<Packed<F>>
}

/** A look-up as a column of its own. */
export function asColumn<Found>(lookUp: LookUp<Found>): SQL<Found> {
  const { value, read } = ofLookUp(lookUp)
  return value.mapWith(read) as SQL<Found>
}

function pack(fields: Fields): { value: SQL; read: Read } {
  const values: (PgColumn | SQL)[] = []
  const readers = Object.entries(fields).map(([name, field]): Reader => {
    const { value, read } = ofField(field)
    values.push(value)
    return { name, read }
  })
  return {
    value: sql`json_build_array(${sql.join(values, sql`, `)})`,
    read: (row) => {
      const record: Record<string, unknown> = {}
      // The values, in the order of the fields.
      const list = row as unknown[]
      readers.forEach(({ name, read }, at) => {
        record[name] = read === undefined ? list[at] : read(list[at])
      })
      return record
    },
  }
}

function ofField(field: Field): { value: PgColumn | SQL; read: Read | undefined } {
  if (is(field, SQL)) return { value: field, read: undefined }
  if (isColumn(field)) return { value: field, read: readerOf(field) }
  return field instanceof LookUp ? ofLookUp(field) : pack(field)
}

function ofLookUp({ fields, from, isList }: LookUp<unknown>): { value: SQL; read: Read } {
  const { value, read } = pack(fields)
  const selected = sql`(select ${value} from ${from})`
  return isList
    ? { value: sql`array${selected}`, read: (rows) => (rows as unknown[]).map(read) }
    : { value: selected, read: orNull(read) }
}

const takenAsItIs = Column.prototype.mapFromDriverValue

const readerOf = (column: PgColumn): Read | undefined =>
  column.mapFromDriverValue === takenAsItIs
    ? undefined
    : orNull((value) => column.mapFromDriverValue(value))

const orNull =
  (read: Read): Read =>
  (value) =>
    value === null ? null : read(value)

const isColumn = (field: Field): field is PgColumn => is(field, PgColumn)

/** A spreadsheet would treat these as the start of a formula, unless the whole is a number. */
const FORMULA = /^[=+\-@\t\r]/
const NUMBER = /^-?\d+(\.\d+)?$/

function cell(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One line of a table for spreadsheets (RFC 4180). No cell of it is a formula. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`

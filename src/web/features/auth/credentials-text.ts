export type Credentials = { username: string; generatedPassword: string }

/** The text that is copied, downloaded and put into the QR code. */
export const credentialsText = (
  brand: string,
  { username, generatedPassword }: Credentials,
): string => `${brand}\nUsername: ${username}\nPassword: ${generatedPassword}\n`

/** Splits a value without separators for readability; the joined parts are the value. */
export function groupsOf(value: string): string[] {
  if (/[^0-9A-Za-z]/.test(value)) return [value]
  return value.match(value.length <= 8 ? /^.{1,3}|.{1,4}/g : /.{1,5}/g) ?? [value]
}

/** People type the gaps they see: digits with spaces between them are a username. */
export const typedUsername = (text: string): string =>
  /^[\d\s]+$/.test(text) ? text.replace(/\s+/g, '') : text.trim()

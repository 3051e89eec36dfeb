const RETURN = 0xff0d
const TAB = 0xff09
const UNICODE = 0x0100_0000

/** X11's number of a key: Latin-1 unchanged, everything else by its Unicode number. */
export function keysymOf(character: string): number {
  if (character === '\n' || character === '\r') return RETURN
  if (character === '\t') return TAB
  const code = character.codePointAt(0) ?? 0
  return code < 0x100 ? code : UNICODE + code
}

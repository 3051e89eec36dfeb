const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Characters that take two cells: East Asian wide and full-width forms, and emoji. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|.\ufe0f)/u
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}]+$/u

/** How many cells of a terminal a text takes. */
export function widthOf(text: string): number {
  let width = 0
  for (const { segment } of graphemes.segment(text)) {
    if (WIDE.test(segment)) width += 2
    else if (!INVISIBLE.test(segment)) width += 1
  }
  return width
}

/** Without control characters: what a server sends must not steer the terminal. */
export const plain = (text: string): string =>
  text.replaceAll(/\s+/gu, ' ').replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')

export const pad = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)))

import type { LayoutId } from './keyboard-layouts.ts'

/*
 * Which key gives which character: text is sent as key presses, and the keyboard layout of the
 * server's system decides what a key means.
 */

/** The rows of a keyboard, left to right, by the browser's names for key positions. */
const PLACES = [
  'Backquote Digit1 Digit2 Digit3 Digit4 Digit5 Digit6 Digit7 Digit8 Digit9 Digit0 Minus Equal',
  'KeyQ KeyW KeyE KeyR KeyT KeyY KeyU KeyI KeyO KeyP BracketLeft BracketRight',
  'KeyA KeyS KeyD KeyF KeyG KeyH KeyJ KeyK KeyL Semicolon Quote Backslash',
  'IntlBackslash KeyZ KeyX KeyC KeyV KeyB KeyN KeyM Comma Period Slash',
].flatMap((row) => row.split(' '))

/** One character for each position, in the same order; a blank where there is none. */
type Keys = { plain: string; shift: string; altGr: string; dead: string }

const KEYS: Record<LayoutId, Keys> = {
  us: {
    plain: "`1234567890-=qwertyuiop[]asdfghjkl;'\\ zxcvbnm,./",
    shift: '~!@#$%^&*()_+QWERTYUIOP{}ASDFGHJKL:"| ZXCVBNM<>?',
    altGr: '',
    dead: '',
  },
  gb: {
    plain: "`1234567890-=qwertyuiop[]asdfghjkl;'#\\zxcvbnm,./",
    shift: '¬!"£$%^&*()_+QWERTYUIOP{}ASDFGHJKL:@~|ZXCVBNM<>?',
    altGr: '¦   €',
    dead: '',
  },
  de: {
    plain: '^1234567890ß´qwertzuiopü+asdfghjklöä#<yxcvbnm,.-',
    shift: '°!"§$%&/()=?`QWERTZUIOPÜ*ASDFGHJKLÖÄ\'>YXCVBNM;:_',
    altGr: '  ²³   {[]}\\ @ €        ~            |      µ',
    dead: '^´`',
  },
  fr: {
    plain: '²&é"\'(-è_çà)=azertyuiop^$qsdfghjklmù*<wxcvbn,;:!',
    shift: ' 1234567890°+AZERTYUIOP¨£QSDFGHJKLM%µ>WXCVBN?./§',
    altGr: '  ~#{[|`\\^@]}  €        ¤',
    dead: '^¨',
  },
}

export type Press = {
  place: string
  character: string
  modifier: 'plain' | 'shift' | 'altGr'
  /** A dead key: gives its character only together with the space bar. */
  isDead: boolean
}

/** How a character is typed on this keyboard; undefined where it is missing. */
export function pressFor(layout: LayoutId, character: string): Press | undefined {
  const { dead, ...rows } = KEYS[layout]
  // A plain key is preferred to a dead key.
  const found = (['plain', 'shift', 'altGr'] as const).flatMap((modifier) => {
    const place = PLACES[rows[modifier].indexOf(character)]
    if (character === ' ' || place === undefined || !rows[modifier].includes(character)) return []
    return [
      { place, character, modifier, isDead: modifier !== 'altGr' && dead.includes(character) },
    ]
  })
  return found.find(({ isDead }) => !isDead) ?? found[0]
}

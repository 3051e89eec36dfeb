import { bootLines, type Facts, prompt } from './guest-text.ts'
import { type Screen, textScreen } from './screen.ts'
import { answerTo } from './shell.ts'

/** The VM as seen from its keyboard: boot messages, login, a small shell. */
export type Machine = {
  screen: Screen
  key(keysym: number, down: boolean): void
  restart(): void
  close(): void
}

export type MachineDeps = {
  facts: () => Facts
  /** ms since power-on. */
  uptime: () => number
  bootMs: number
  isPassword: (user: string, password: string) => boolean
  powerOff: () => void
}

type Mode = 'booting' | 'login' | 'password' | 'shell'

const KEY = {
  backspace: 0xff08,
  enter: 0xff0d,
  keypadEnter: 0xff8d,
  delete: 0xffff,
  ctrl: [0xffe3, 0xffe4],
  alt: [0xffe9, 0xffea],
}

export function machine(deps: MachineDeps): Machine {
  const screen = textScreen()
  const held = new Set<number>()
  let mode: Mode = 'booting'
  let line = ''
  let user = ''
  let timer: NodeJS.Timeout | undefined

  function login(): void {
    mode = 'login'
    line = ''
    const { banner, loginPrompt } = prompt(deps.facts())
    screen.write(`\n${banner}\n\n${loginPrompt}`)
  }

  function boot(elapsed: number): void {
    clearTimeout(timer)
    mode = 'booting'
    screen.clear()
    const lines = bootLines(deps.facts())
    const step = deps.bootMs / lines.length
    let next = Math.min(lines.length, step > 0 ? Math.floor(elapsed / step) : lines.length)
    for (const text of lines.slice(0, next)) screen.write(`${text}\n`)
    const tick = () => {
      const text = lines[next++]
      if (text === undefined) return login()
      screen.write(`${text}\n`)
      timer = setTimeout(tick, step)
    }
    tick()
  }

  function run(command: string) {
    const answer = answerTo(command, { ...deps.facts(), user, uptime: deps.uptime() })
    if (answer.kind === 'logout') return login()
    if (answer.kind === 'reboot') return boot(0)
    if (answer.kind === 'poweroff') return deps.powerOff()
    if (answer.kind === 'clear') screen.clear()
    if (answer.kind === 'text') screen.write(answer.text)
    screen.write(prompt({ ...deps.facts(), user }).shellPrompt)
  }

  function enter() {
    const text = line
    line = ''
    screen.write('\n')
    if (mode === 'login') {
      user = text.trim()
      if (user === '') return login()
      mode = 'password'
      screen.write('Password: ')
    } else if (mode === 'password') {
      if (!deps.isPassword(user, text)) {
        screen.write('\nLogin incorrect\n')
        return login()
      }
      mode = 'shell'
      const { welcome, shellPrompt } = prompt({ ...deps.facts(), user })
      screen.write(`${welcome}\n${shellPrompt}`)
    } else run(text)
  }

  function type(char: string): void {
    line += char
    if (mode !== 'password') screen.write(char)
  }

  function erase(): void {
    if (line === '') return
    line = line.slice(0, -1)
    if (mode !== 'password') screen.write('\b \b')
  }

  function control(char: string) {
    if (char === 'c') {
      line = ''
      if (mode !== 'shell') return login()
      screen.write(`^C\n${prompt({ ...deps.facts(), user }).shellPrompt}`)
    } else if (char === 'd' && line === '' && mode === 'shell') login()
    else if (char === 'u') while (line !== '') erase()
  }

  const isHeld = (keys: number[]) => keys.some((key) => held.has(key))

  function press(keysym: number) {
    if (keysym === KEY.delete && isHeld(KEY.ctrl) && isHeld(KEY.alt)) return boot(0)
    if (mode === 'booting') return
    const char = keysym >= 0x20 && keysym <= 0x7e ? String.fromCharCode(keysym) : undefined
    if (char && isHeld(KEY.ctrl)) control(char.toLowerCase())
    else if (char) type(char)
    else if (keysym === KEY.enter || keysym === KEY.keypadEnter) enter()
    else if (keysym === KEY.backspace) erase()
  }

  boot(deps.uptime())

  return {
    screen,
    key(keysym, down) {
      if (!down) {
        held.delete(keysym)
        return
      }
      held.add(keysym)
      press(keysym)
    },
    restart: () => boot(0),
    close: () => clearTimeout(timer),
  }
}

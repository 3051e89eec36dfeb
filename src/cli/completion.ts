import { findCommand, flagsOf } from './arguments.ts'
import type { Command } from './commands/command.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** Each shell asks the command itself what could follow. Nothing of it asks the server. */
const SCRIPTS: Record<Shell, string> = {
  bash: `_hushbox() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(hushbox __complete "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _hushbox hushbox
`,
  zsh: `#compdef hushbox
_hushbox() {
  local -a found
  found=(\${(f)"$(hushbox __complete "\${(@)words[2,CURRENT-1]}" 2>/dev/null)"})
  if (( \${#found} )); then compadd -a found; else _files; fi
}
compdef _hushbox hushbox
`,
  fish: `function __hushbox_complete
  set -l words (commandline -opc)
  hushbox __complete $words[2..] 2>/dev/null
end
complete -c hushbox -f -a '(__hushbox_complete)'
`,
}

/** What can follow these words. */
export function completions(commands: readonly Command[], before: readonly string[]): string[] {
  const found = findCommand(commands, before)
  if (!found) {
    const start = before.map((word) => `${word} `).join('')
    const next = commands
      .filter(({ name }) => name.startsWith(start))
      .map(({ name }) => name.slice(start.length).split(' ')[0] ?? '')
    return [...new Set(next)]
  }
  const flags = flagsOf(found.command)
  const last = found.rest.at(-1) ?? ''
  const [, open] = Object.entries(flags).find(
    ([name, { short }]) => last === `--${name}` || (short && last === `-${short}`),
  ) ?? ['']
  if (open?.takes) return [...(open.words ?? [])]
  const given = found.rest.filter((word) => !word.startsWith('-')).length
  const value = Object.values(found.command.takes ?? {})[given]
  return [...(value?.words ?? []), ...Object.keys(flags).map((name) => `--${name}`)]
}

export const completionCommand: Command = {
  name: 'completion',
  says: 'The script with which a shell completes hushbox commands',
  takes: { shell: { says: SHELLS.join(', '), words: SHELLS } },
  examples: [
    'hushbox completion bash > ~/.local/share/bash-completion/completions/hushbox',
    'hushbox completion zsh > ~/.zfunc/_hushbox',
    'hushbox completion fish > ~/.config/fish/completions/hushbox.fish',
  ],
  run: ({ terminal, given }) => terminal.out(SCRIPTS[given.values.shell as Shell]),
}

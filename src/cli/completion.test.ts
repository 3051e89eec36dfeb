import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { completionCommand } from './completion.ts'
import { run } from './run.ts'

const shells = Object.values(completionCommand.takes ?? {}).flatMap(({ words }) => words ?? [])
const hasShell = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0

async function scriptFor(shell: string): Promise<string> {
  let script = ''
  const terminal = {
    out: (text: string) => (script += text),
    err: (text: string) => expect.fail(text),
    canAsk: false,
    isLive: false,
    hasColor: false,
    ask: async () => '',
    askSecret: async () => '',
  }
  expect(await run(['completion', shell], { env: {}, version: '1.2.3', terminal })).toBe(0)
  return script
}

describe.each(shells)('the completion for %s', (shell) => {
  test.skipIf(!hasShell(shell))('is read by the shell without a complaint', async () => {
    const { status, stderr } = spawnSync(shell, ['-n'], { input: await scriptFor(shell) })
    expect([status, stderr.toString()]).toEqual([0, ''])
  })

  test('closes whatever it opens', async () => {
    const script = await scriptFor(shell)
    const count = (part: RegExp) => script.match(part)?.length ?? 0
    for (const [open, close] of [
      [/\(/g, /\)/g],
      [/\{/g, /\}/g],
      [/\bif\b/g, /\bfi\b/g],
      [/^function\b/gm, /^end\b/gm],
    ] as const) {
      expect([open, count(open)]).toEqual([open, count(close)])
    }
    expect(count(/"/g) % 2).toBe(0)
    expect(count(/'/g) % 2).toBe(0)
  })

  test('asks hushbox itself, with the words before the cursor, and nothing on stderr', async () => {
    expect(await scriptFor(shell)).toMatch(WORDS_BEFORE[shell] ?? /^$/)
  })
})

/** The words after `hushbox` up to the cursor, as each shell names them. */
const WORDS_BEFORE: Record<string, RegExp> = {
  bash: /hushbox __complete "\$\{COMP_WORDS\[@\]:1:COMP_CWORD-1\}" 2>\/dev\/null/,
  zsh: /hushbox __complete "\$\{\(@\)words\[2,CURRENT-1\]\}" 2>\/dev\/null/,
  fish: /set -l words \(commandline -opc\)\n {2}hushbox __complete \$words\[2\.\.\] 2>\/dev\/null/,
}

test.skipIf(!hasShell('bash'))('Bash completes a word by it', async () => {
  const script = `hushbox() { printf '%s\\n' servers "$@"; }\n${await scriptFor('bash')}
COMP_WORDS=(hushbox ser) COMP_CWORD=1
_hushbox
echo "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['-c', script])
  expect([stdout.toString(), stderr.toString()]).toEqual(['servers\n', ''])
})

import { describe, expect, test } from 'vitest'
import { openCommandLine, stage } from '../testing/stage.ts'

const { hushbox } = openCommandLine()

const preview = { confirm: 'web', osType: 'Debian 12', sshKeyIds: [1, 3] }
const KEPT = 'It keeps your SSH keys 1, 3 and has no password.'
const NAMED = 'It gets your SSH key 2 and has no password.'
const NONE = 'It gets a new password and no SSH keys.'

describe('the SSH keys of a server that is reinstalled', () => {
  const reinstall = async (flags: string, answers?: string[]) => {
    const s = await stage({ status: 200, body: preview }, { status: 202, body: { jobId: 'a' } })
    const done = await hushbox(`servers reinstall 7 ${flags}`.trim(), s.env, answers)
    s.close()
    return { ...done, asked: s.asked }
  }

  test.each([
    ['are those it has', '', [1, 3], KEPT],
    ['are others that are named', '--ssh-key 2', [2], NAMED],
    ['are none on request', '--no-ssh-key', [], NONE],
    ['are none on Windows', '--os Windows', [], NONE],
  ])('%s', async (_, flags, sshKeyIds, sentence) => {
    const asked = await reinstall(flags, ['web'])
    expect([asked.code, asked.err]).toEqual([0, expect.stringContaining(sentence)])
    expect(asked.asked.at(-1)).toMatchObject({
      line: 'POST /api/instances/7/reinstall',
      body: { sshKeyIds, confirm: 'web' },
    })
    const agreed = await reinstall(`${flags} --yes`.trim())
    expect(agreed.asked.at(-1)?.body).toMatchObject({ sshKeyIds })
  })

  test('are named in what a script without --yes is told', async () => {
    const { code, err, asked } = await reinstall('')
    expect([code, err, asked.length]).toEqual([2, expect.stringContaining(KEPT), 1])
  })

  test('are either named or none', async () => {
    const { code, err, asked } = await reinstall('--ssh-key 1 --no-ssh-key --yes')
    expect([code, asked]).toEqual([2, []])
    expect(err).toContain('Choose one of --ssh-key and --no-ssh-key.')
  })
})

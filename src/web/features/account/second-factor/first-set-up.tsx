import { useQueryClient } from '@tanstack/react-query'
import { me, useMe } from '../../../api/session.ts'
import { useLogout } from '../../../api/use-logout.ts'
import { Button } from '../../../ui/form/button.tsx'
import { SetUp } from './set-up.tsx'

/** All that an operator without a second factor sees where one is required. */
export function FirstSetUp({ onDone }: { onDone: () => void }) {
  const client = useQueryClient()
  const { email, username } = useMe()
  const logout = useLogout()
  async function finish() {
    await client.invalidateQueries({ queryKey: me.queryKey })
    onDone()
  }
  return (
    <main id="main" className="mx-auto max-w-2xl px-4 py-14">
      <h1 className="text-xl">Set up your second factor</h1>
      <p className="mt-2 mb-8 text-base text-ink-soft">
        Administrators of this installation sign in with a code of an authenticator app beside their
        password. Set it up once; everything else opens then.
      </p>
      <SetUp onDone={() => void finish()} />
      <p className="mt-8 border-t pt-6 text-ink-soft print:hidden">
        Signed in as {email ?? username}.{' '}
        <Button size="sm" onClick={() => void logout.run()} isPending={logout.isPending}>
          Sign out
        </Button>
      </p>
    </main>
  )
}

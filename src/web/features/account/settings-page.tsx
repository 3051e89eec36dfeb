import { type ReactNode, Suspense } from 'react'
import { useSearchParams } from 'wouter'
import { useMe } from '../../api/session.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { Loading, Skeleton } from '../../ui/indicator/skeleton.tsx'
import { type Tab, Tabs } from '../../ui/layout/tabs.tsx'
import { ProfileCard } from '../../widgets/facts/profile-card.tsx'
import { ActivityCard } from './activity-card.tsx'
import { PasswordCard } from './password-card.tsx'
import { SessionsCard } from './sessions-card.tsx'
import { ThemeCard } from './theme-card.tsx'

const DataCards = lazyPage(() => import('./delete-account-card.tsx'), 'DataCards')
const SecondFactorCard = lazyPage(() => import('./second-factor-card.tsx'), 'SecondFactorCard')
const PasskeysCard = lazyPage(() => import('./passkeys-card.tsx'), 'PasskeysCard')
const RecoveryCard = lazyPage(() => import('./recovery-card.tsx'), 'RecoveryCard')
const ApiKeysCard = lazyPage(() => import('./api-keys-card.tsx'), 'ApiKeysCard')
const WebhooksCard = lazyPage(() => import('./webhooks-card.tsx'), 'WebhooksCard')
const SshKeysCard = lazyPage(() => import('./ssh-keys-card.tsx'), 'SshKeysCard')

const narrow = (cards: ReactNode) => (
  <div className="max-w-3xl space-y-6">
    <Suspense
      fallback={
        <Loading>
          <Skeleton className="h-64 w-full" />
        </Loading>
      }
    >
      {cards}
    </Suspense>
  </div>
)

/** The settings of every user; the composing page passes further tabs. */
export function SettingsPage({ extraTabs = [] }: { extraTabs?: readonly Tab[] }) {
  const user = useMe()
  const isSimulated = user.isSimulated === true
  const [search, setSearch] = useSearchParams()
  const tabs: readonly Tab[] = [
    { value: 'account', label: 'Account', content: narrow(<ProfileCard user={user} />) },
    {
      value: 'security',
      label: 'Security',
      content: narrow(
        <>
          <PasswordCard isSimulated={isSimulated} />
          <SecondFactorCard isSimulated={isSimulated} />
          <PasskeysCard isSimulated={isSimulated} />
          <SessionsCard isSimulated={isSimulated} />
        </>,
      ),
    },
    {
      // Everything that acts for the account, each with its end.
      value: 'access',
      label: 'Access',
      content: narrow(
        <>
          <SessionsCard isSimulated={isSimulated} />
          <PasskeysCard isSimulated={isSimulated} />
          {user.role === 'client' && <ApiKeysCard isSimulated={isSimulated} />}
          <SshKeysCard isSimulated={isSimulated} />
          <WebhooksCard isSimulated={isSimulated} />
        </>,
      ),
    },
    ...(user.role === 'client'
      ? [
          {
            value: 'recovery',
            label: 'Recovery',
            content: narrow(<RecoveryCard isSimulated={isSimulated} />),
          },
          {
            value: 'api-keys',
            label: 'API keys',
            content: narrow(<ApiKeysCard isSimulated={isSimulated} />),
          },
        ]
      : []),
    {
      value: 'ssh-keys',
      label: 'SSH keys',
      content: narrow(<SshKeysCard isSimulated={isSimulated} />),
    },
    {
      value: 'webhooks',
      label: 'Webhooks',
      content: narrow(<WebhooksCard isSimulated={isSimulated} />),
    },
    { value: 'activity', label: 'Activity', content: narrow(<ActivityCard />) },
    {
      value: 'data',
      label: 'My data',
      content: narrow(<DataCards isSimulated={isSimulated} />),
    },
    { value: 'appearance', label: 'Appearance', content: narrow(<ThemeCard />) },
    ...extraTabs,
  ]
  const asked = search.get('tab')
  const current = tabs.some(({ value }) => value === asked) ? (asked ?? 'account') : 'account'
  return (
    <Tabs
      label="Settings"
      tabs={tabs}
      value={current}
      onChange={(tab) => setSearch({ tab }, { replace: true })}
    />
  )
}

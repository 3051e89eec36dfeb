import type { ReactNode } from 'react'
import { Route, Switch } from 'wouter'
import { SiteLayout } from './layout/page/site-layout.tsx'
import { lazyPage } from './lib/browser/lazy-page.ts'
import { PAY, paths } from './lib/paths/paths.ts'

const TermsPage = lazyPage(() => import('./features/legal/terms-page.tsx'), 'TermsPage')
const PrivacyPage = lazyPage(() => import('./features/legal/privacy-page.tsx'), 'PrivacyPage')
const PayLinkPage = lazyPage(
  () => import('./features/billing/pay-link/pay-link-page.tsx'),
  'PayLinkPage',
)

/** Pages that look the same for everyone, signed in or not. */
export function SiteArea({ isSignedIn }: { isSignedIn: boolean }) {
  const site = (title: string, page: ReactNode) => (
    <SiteLayout title={title} isSignedIn={isSignedIn}>
      {page}
    </SiteLayout>
  )
  return (
    <Switch>
      <Route path={paths.terms}>{site('Terms of Service', <TermsPage />)}</Route>
      <Route path={paths.privacy}>{site('Privacy', <PrivacyPage />)}</Route>
      <Route path={`${PAY}:code`}>{site('Renew a server', <PayLinkPage />)}</Route>
    </Switch>
  )
}

import { Route, Switch } from 'wouter'
import { PricingPage } from './features/pricing/pricing-page.tsx'
import { LaterUpdates } from './layout/changelog/later-updates.tsx'
import { CLIENT_NAV } from './layout/navigation/navigation.ts'
import { Shell } from './layout/page/shell.tsx'
import { lazyPage } from './lib/browser/lazy-page.ts'
import { orderPath, paths, serverPath } from './lib/paths/paths.ts'
import { Later } from './ui/indicator/later.tsx'

const SettingsPage = lazyPage(() => import('./features/account/settings-page.tsx'), 'SettingsPage')
const MyVpsPage = lazyPage(() => import('./features/my-vps/my-vps-page.tsx'), 'MyVpsPage')
const MyTokensPage = lazyPage(() => import('./features/my-vps/my-tokens-page.tsx'), 'MyTokensPage')
const MarketplacePage = lazyPage(
  () => import('./features/marketplace/marketplace-page.tsx'),
  'MarketplacePage',
)
const MyInstancesPage = lazyPage(
  () => import('./features/my-instances/my-instances-page.tsx'),
  'MyInstancesPage',
)
const BillingPage = lazyPage(() => import('./features/billing/billing-page.tsx'), 'BillingPage')
const OrderPage = lazyPage(() => import('./features/billing/order/order-page.tsx'), 'OrderPage')
const ServerPage = lazyPage(() => import('./features/server/server-page.tsx'), 'ServerPage')
const ProfilePage = lazyPage(() => import('./features/account/profile-page.tsx'), 'ProfilePage')

// Below the page's own content, so they may come later.
const NavigationCards = lazyPage(
  () => import('./features/dashboard/navigation-cards.tsx'),
  'NavigationCards',
)
const LatestUpdatesCard = lazyPage(
  () => import('./layout/changelog/latest-updates-card.tsx'),
  'LatestUpdatesCard',
)

/** The pages of a client. An unknown path is My VPS Dashboard. */
export function ClientArea() {
  return (
    <Shell nav={CLIENT_NAV} area="client">
      <Switch>
        <Route path={paths.createInstance} component={MarketplacePage} />
        <Route path={paths.myInstances} component={MyInstancesPage} />
        <Route path={paths.myTokens} component={MyTokensPage} />
        <Route path={paths.billing} component={BillingPage} />
        <Route path={serverPath(':id')} component={ServerPage} />
        <Route path={orderPath(':id')} component={OrderPage} />
        <Route path={paths.pricing}>
          <PricingPage audience="client" />
        </Route>
        <Route path={paths.settings}>
          <SettingsPage />
        </Route>
        <Route path={paths.profile}>
          <ProfilePage>
            <LaterUpdates />
          </ProfilePage>
        </Route>
        <Route>
          <MyVpsPage>
            <Later className="h-40">
              <NavigationCards area="client" />
              <LatestUpdatesCard />
            </Later>
          </MyVpsPage>
        </Route>
      </Switch>
    </Shell>
  )
}

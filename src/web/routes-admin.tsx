import { Route, Switch } from 'wouter'
import { PricingPage } from './features/pricing/pricing-page.tsx'
import { LatestUpdatesCard } from './layout/latest-updates-card.tsx'
import { ADMIN_NAV } from './layout/navigation.ts'
import { NotBuiltPage } from './layout/not-built-page.tsx'
import { NotFoundPage } from './layout/not-found-page.tsx'
import { Shell } from './layout/shell.tsx'
import { lazyPage } from './lib/lazy-page.ts'
import { paths } from './paths.ts'

const SettingsPage = lazyPage(() => import('./routes-admin-settings.tsx'), 'AdminSettings')
const ProfilePage = lazyPage(() => import('./features/account/profile-page.tsx'), 'ProfilePage')
const UsersPage = lazyPage(() => import('./features/users/users-page.tsx'), 'UsersPage')
const CreateUserPage = lazyPage(
  () => import('./features/users/create-user-page.tsx'),
  'CreateUserPage',
)

/** The pages of an administrator. An unknown path is a 404. */
export function AdminArea() {
  return (
    <Shell nav={ADMIN_NAV} area="admin">
      <Switch>
        <Route path={paths.home} component={NotBuiltPage} />
        <Route path={paths.dashboard} component={NotBuiltPage} />
        <Route path={paths.adminDashboard} component={NotBuiltPage} />
        <Route path={paths.tokens} component={NotBuiltPage} />
        <Route path={paths.orders} component={NotBuiltPage} />
        <Route path={paths.packages} component={NotBuiltPage} />
        <Route path={paths.pricing}>
          <PricingPage audience="admin" />
        </Route>
        <Route path={paths.instances} component={NotBuiltPage} />
        <Route path={paths.nodes} component={NotBuiltPage} />
        <Route path={paths.clusters} component={NotBuiltPage} />
        <Route path={paths.proxmoxManager} component={NotBuiltPage} />
        <Route path={paths.users} component={UsersPage} />
        <Route path={paths.createUser} component={CreateUserPage} />
        <Route path={paths.cancelledInstances} component={NotBuiltPage} />
        <Route path={paths.settings} component={SettingsPage} />
        <Route path={paths.profile}>
          <ProfilePage>
            <LatestUpdatesCard />
          </ProfilePage>
        </Route>
        <Route component={NotFoundPage} />
      </Switch>
    </Shell>
  )
}

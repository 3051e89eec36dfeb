import { useState } from 'react'
import { Route, Switch } from 'wouter'
import { useDuties, useMe } from './api/session.ts'
import { PricingPage } from './features/pricing/pricing-page.tsx'
import { LaterUpdates } from './layout/changelog/later-updates.tsx'
import { ADMIN_NAV } from './layout/navigation/admin-navigation.ts'
import { NotFoundPage } from './layout/page/not-found-page.tsx'
import { Shell } from './layout/page/shell.tsx'
import { lazyPage } from './lib/browser/lazy-page.ts'
import { paths, serverPath } from './lib/paths/paths.ts'

const NotAllowedPage = lazyPage(
  () => import('./layout/page/not-allowed-page.tsx'),
  'NotAllowedPage',
)
const FirstSetUp = lazyPage(
  () => import('./features/account/second-factor/first-set-up.tsx'),
  'FirstSetUp',
)
const SettingsPage = lazyPage(() => import('./routes-admin-settings.tsx'), 'AdminSettings')
const ProfilePage = lazyPage(() => import('./features/account/profile-page.tsx'), 'ProfilePage')
const TokensPage = lazyPage(() => import('./features/tokens/tokens-page.tsx'), 'TokensPage')
const CancelledInstancesPage = lazyPage(
  () => import('./features/cancelled-instances/cancelled-instances-page.tsx'),
  'CancelledInstancesPage',
)
const DashboardPage = lazyPage(
  () => import('./features/dashboard/dashboard-page.tsx'),
  'DashboardPage',
)
const AdminDashboardPage = lazyPage(
  () => import('./features/admin-dashboard/admin-dashboard-page.tsx'),
  'AdminDashboardPage',
)
const OrdersPage = lazyPage(() => import('./features/orders/orders-page.tsx'), 'OrdersPage')
const PackagesPage = lazyPage(() => import('./features/packages/packages-page.tsx'), 'PackagesPage')
const InstancesPage = lazyPage(
  () => import('./features/instances/instances-page.tsx'),
  'InstancesPage',
)
const ServerPage = lazyPage(() => import('./features/server/server-page.tsx'), 'ServerPage')
const NodesPage = lazyPage(() => import('./features/nodes/nodes-page.tsx'), 'NodesPage')
const ClustersPage = lazyPage(() => import('./features/clusters/clusters-page.tsx'), 'ClustersPage')
const PoolsPage = lazyPage(() => import('./features/pools/pools-page.tsx'), 'PoolsPage')
const ProxmoxManagerPage = lazyPage(
  () => import('./features/proxmox-manager/proxmox-manager-page.tsx'),
  'ProxmoxManagerPage',
)
const UsersPage = lazyPage(() => import('./features/users/users-page.tsx'), 'UsersPage')
const CreateUserPage = lazyPage(
  () => import('./features/users/create-user-page.tsx'),
  'CreateUserPage',
)

/** The pages of the staff. An unknown path is a 404. */
export function AdminArea() {
  const { needsSecondFactor = false } = useMe()
  const may = useDuties()
  const nav = ADMIN_NAV.filter(({ duty }) => may(duty))
  const mayRun = may('run')
  // Stays until the recovery codes were saved, although the account has its second factor by then.
  const [isSettingUp, setSettingUp] = useState<boolean>(needsSecondFactor)
  if (needsSecondFactor && !isSettingUp) setSettingUp(true)
  if (isSettingUp) return <FirstSetUp onDone={() => setSettingUp(false)} />
  return (
    <Shell nav={nav} area="admin">
      <Switch>
        <Route path={paths.home}>
          <DashboardPage>
            <LaterUpdates />
          </DashboardPage>
        </Route>
        <Route path={paths.dashboard}>
          <DashboardPage>
            <LaterUpdates />
          </DashboardPage>
        </Route>
        <Route path={paths.adminDashboard} component={AdminDashboardPage} />
        <Route path={paths.tokens} component={TokensPage} />
        <Route path={paths.orders} component={OrdersPage} />
        <Route path={paths.packages} component={PackagesPage} />
        <Route path={paths.pricing}>
          <PricingPage audience="admin" />
        </Route>
        <Route path={paths.instances} component={InstancesPage} />
        <Route path={serverPath(':id')} component={ServerPage} />
        <Route path={paths.nodes} component={NodesPage} />
        <Route path={paths.clusters} component={ClustersPage} />
        <Route path={paths.pools} component={PoolsPage} />
        <Route
          path={paths.proxmoxManager}
          component={mayRun ? ProxmoxManagerPage : NotAllowedPage}
        />
        <Route path={paths.users} component={UsersPage} />
        <Route path={paths.createUser} component={mayRun ? CreateUserPage : NotAllowedPage} />
        <Route path={paths.cancelledInstances} component={CancelledInstancesPage} />
        <Route path={paths.settings} component={SettingsPage} />
        <Route path={paths.profile}>
          <ProfilePage>
            <LaterUpdates />
          </ProfilePage>
        </Route>
        <Route component={NotFoundPage} />
      </Switch>
    </Shell>
  )
}

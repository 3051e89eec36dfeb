import { useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense } from 'react'
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter'
import type { Role } from '#shared/api/people/users.ts'
import { sentenceOf } from './api/api-error.ts'
import { me } from './api/session.ts'
import { useNewAccount } from './features/auth/new-account.ts'
import { LandingPage } from './features/landing/landing-page.tsx'
import { PricingPage } from './features/pricing/pricing-page.tsx'
import { PageBoundary } from './layout/page/page-boundary.tsx'
import { SiteLayout } from './layout/page/site-layout.tsx'
import { StartSpinner } from './layout/page/start-spinner.tsx'
import { preloadToasts, ToastRegion } from './layout/page/toast-region.tsx'
import { lazyPage } from './lib/browser/lazy-page.ts'
import { brandName } from './lib/browser/page-facts.ts'
import { consolePath, FOR_EVERYONE, isProtectedPath, loginPath, paths } from './lib/paths/paths.ts'
import { returnPath } from './lib/paths/return-path.ts'
import { ErrorState } from './ui/feedback/error-state.tsx'

// A page with actions is loaded together with its toasts.
const LoginPage = lazyPage(
  () => import('./features/auth/login-page.tsx'),
  'LoginPage',
  preloadToasts,
)
const RegisterPage = lazyPage(
  () => import('./features/auth/register-page.tsx'),
  'RegisterPage',
  preloadToasts,
)
const SiteArea = lazyPage(() => import('./routes-site.tsx'), 'SiteArea', preloadToasts)
const ClientArea = lazyPage(() => import('./routes-client.tsx'), 'ClientArea', preloadToasts)
const AdminArea = lazyPage(() => import('./routes-admin.tsx'), 'AdminArea', preloadToasts)

const ConsolePage = lazyPage(
  () => import('./features/console/console-page.tsx'),
  'ConsolePage',
  preloadToasts,
)

const StopRegion = lazyPage(() => import('./widgets/power/stop-region.tsx'), 'StopRegion')

/** Every page; the signed-in user decides which of them are available. */
export function Routes() {
  const { data: user, error, isPending, isFetching, refetch } = useQuery(me)
  // Signing in and out change user and address together: from here down both are seen at once.
  useLocation()
  if (isPending) return <StartSpinner />
  if (user === undefined) {
    return (
      <main className="grid min-h-dvh place-content-center">
        <h1 className="sr-only">{brandName}</h1>
        <ErrorState
          title="The application could not start"
          onRetry={() => void refetch()}
          isRetrying={isFetching}
        >
          {sentenceOf(error)}
        </ErrorState>
      </main>
    )
  }
  return (
    <>
      {/* The key unmounts the pages of one account at once when another area begins. */}
      <PageBoundary key={user?.role ?? 'visitor'}>
        <Suspense fallback={<StartSpinner />}>
          <Switch>
            <Route path={FOR_EVERYONE}>
              <SiteArea isSignedIn={user !== null} />
            </Route>
            <Route>
              {user === null ? (
                <VisitorArea />
              ) : (
                <SignedInArea role={user.role} name={user.username} />
              )}
            </Route>
          </Switch>
        </Suspense>
      </PageBoundary>
      <ToastRegion />
    </>
  )
}

const site = (title: string, page: ReactNode) => (
  <SiteLayout title={title} isSignedIn={false}>
    {page}
  </SiteLayout>
)

function VisitorArea() {
  return (
    <Switch>
      <Route path={paths.login}>{site('Sign In', <LoginPage />)}</Route>
      <Route path={paths.register}>{site('Create Account', <RegisterPage />)}</Route>
      <Route path={paths.pricing}>{site('Pricing', <PricingPage audience="visitor" />)}</Route>
      <Route>
        <LandingOrLogin />
      </Route>
    </Switch>
  )
}

/** A protected page leads to the sign-in page and back; any other path is the landing page. */
function LandingOrLogin() {
  const [path] = useLocation()
  const search = useSearch()
  if (isProtectedPath(path)) {
    const next = search ? `${path}?${search}` : path
    return <Redirect to={loginPath({ next })} replace />
  }
  return site('Servers without a name', <LandingPage />)
}

function SignedInArea({ role, name }: { role: Role; name: string | null }) {
  const unsaved = useNewAccount()
  // After a reload of that page: signed in, with a password that is not saved yet.
  if (unsaved && unsaved.username === name) return site('Create Account', <RegisterPage />)
  return (
    <>
      <Switch>
        <Route path={paths.login}>
          <LeaveSignIn />
        </Route>
        <Route path={paths.register}>
          <LeaveSignIn />
        </Route>
        <Route path={consolePath(':id')}>
          <ConsolePage />
        </Route>
        <Route>{role === 'client' ? <ClientArea /> : <AdminArea />}</Route>
      </Switch>
      <Suspense>
        <StopRegion />
      </Suspense>
    </>
  )
}

/** A signed-in user is redirected from the sign-in page. */
function LeaveSignIn() {
  const next = new URLSearchParams(useSearch()).get('next')
  return <Redirect to={returnPath(next)} replace />
}

import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { brandName } from '../../lib/browser/page-facts.ts'
import { loginPath, paths, registerPath } from '../../lib/paths/paths.ts'
import { buttonClass } from '../../ui/form/button.tsx'
import { OperatorLine } from '../../widgets/facts/operator-line.tsx'
import { ThemeButton } from '../header/theme-button.tsx'
import { BrandLink } from '../navigation/brand.tsx'
import { DemoBanner } from './demo-banner.tsx'
import { SkipLink } from './skip-link.tsx'
import { usePage } from './use-page.ts'

type SiteLayoutProps = { title: string; isSignedIn?: boolean; children: ReactNode }

/** The frame of the public pages. */
export function SiteLayout({ title, isSignedIn = false, children }: SiteLayoutProps) {
  const main = usePage(title)
  return (
    <div className="flex min-h-dvh flex-col">
      <SkipLink />
      <DemoBanner />
      <SiteHeader isSignedIn={isSignedIn} />
      <main id="main" ref={main} tabIndex={-1} className="flex-1">
        {children}
      </main>
      <SiteFooter />
    </div>
  )
}

function SiteHeader({ isSignedIn }: { isSignedIn: boolean }) {
  return (
    <header className="sticky top-0 z-20 border-b bg-paper">
      <div className="mx-auto flex h-16 max-w-6xl items-center justify-between gap-2 px-4 sm:px-6">
        <BrandLink />
        <nav aria-label="Main" className="flex items-center gap-0.5 sm:gap-2">
          {isSignedIn ? (
            <Link href={paths.home} className={buttonClass({ size: 'sm' })}>
              Dashboard
            </Link>
          ) : (
            <VisitorLinks />
          )}
        </nav>
      </div>
    </header>
  )
}

function VisitorLinks() {
  const quiet = `${buttonClass({ variant: 'ghost', size: 'sm' })} max-sm:px-1.5`
  return (
    <>
      <Link href={paths.pricing} className={quiet}>
        Pricing
      </Link>
      <Link href={loginPath()} className={quiet}>
        Sign In
      </Link>
      <Link href={registerPath()} className={`${buttonClass({ size: 'sm' })} max-sm:px-2`}>
        Get Started
      </Link>
    </>
  )
}

function SiteFooter() {
  return (
    <footer className="border-t">
      <div className="mx-auto flex max-w-6xl flex-wrap items-center justify-between gap-x-8 gap-y-3 px-4 py-6 text-ink-soft sm:px-6">
        <div>
          <p>{brandName}. Nothing on this page comes from a third party.</p>
          <OperatorLine />
        </div>
        <div className="flex items-center gap-4">
          <nav aria-label="Legal" className="flex gap-4">
            <Link href={paths.terms} className="text-link">
              Terms
            </Link>
            <Link href={paths.privacy} className="text-link">
              Privacy
            </Link>
          </nav>
          <ThemeButton />
        </div>
      </div>
    </footer>
  )
}

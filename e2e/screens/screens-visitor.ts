import { createAccount, pressAndSee, type Screen } from './answers/screen-acts.ts'

/** Screens before sign-in. */
export const VISITOR_SCREENS: readonly Screen[] = [
  { role: 'visitor', name: 'landing', path: '/' },
  {
    role: 'visitor',
    name: 'landing-figures',
    path: '/',
    answers: { '**/api/delivery': { delivered: 412, returned: 2, medianSeconds: 48 } },
  },
  { role: 'visitor', name: 'pricing', path: '/pricing' },
  { role: 'visitor', name: 'login', path: '/login' },
  {
    role: 'visitor',
    name: 'login-missing',
    path: '/login',
    prepare: pressAndSee('Sign In', 'Missing Credentials'),
  },
  { role: 'visitor', name: 'login-ended', path: '/login?ended=1' },
  { role: 'visitor', name: 'register', path: '/register' },
  {
    role: 'visitor',
    name: 'register-terms',
    path: '/register',
    prepare: pressAndSee('Create Account', 'You must agree to the terms of service to continue.'),
  },
  { role: 'visitor', name: 'register-saved', path: '/register?plan=trial', prepare: createAccount },
  { role: 'visitor', name: 'privacy', path: '/privacy' },
  { role: 'visitor', name: 'terms', path: '/terms' },
]

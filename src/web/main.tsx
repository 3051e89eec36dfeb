import './styles.css'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from './api/query-client.ts'
import { leave } from './api/session.ts'
import { ignoreHeldEnter } from './lib/browser/held-keys.ts'
import { pageNonce } from './lib/browser/page-facts.ts'
import { followSystemTheme } from './lib/browser/theme.ts'
import { loginPath } from './lib/paths/paths.ts'
import { Routes } from './routes.tsx'

// Radix creates style elements (scroll lock), which need the nonce of the content security policy.
const nonce = pageNonce()
if (nonce) setNonce(nonce)

followSystemTheme()
ignoreHeldEnter(document)

const toSignIn = (client: QueryClient) =>
  leave(client, loginPath({ next: location.pathname + location.search, ended: true }))

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient(toSignIn)}>
      <Routes />
    </QueryClientProvider>
  </StrictMode>,
)

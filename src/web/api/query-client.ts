import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isSessionLost } from './api-error.ts'
import { isSignedIn } from './session.ts'

/** The specification's defaults: nothing is read again unless requested. */
export function createQueryClient(onSessionLost: (client: QueryClient) => void): QueryClient {
  const onError = (error: Error) => {
    // Several calls may find out at once: only the first one acts.
    if (isSessionLost(error) && isSignedIn(client)) onSessionLost(client)
  }
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        refetchInterval: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        staleTime: Number.POSITIVE_INFINITY,
        retry: false,
        // A browser that believes it is offline still gets an answer: the failure, in words.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
  return client
}

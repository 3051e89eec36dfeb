import { type ComponentType, lazy } from 'react'

type Component<C> = C extends ComponentType<infer P> ? ComponentType<P> : never

/**
 * A part in a chunk of its own: `lazyPage(() => import('./x.tsx'), 'XPage')`. What is needed with it
 * is started `alongside`.
 */
export const lazyPage = <M, N extends keyof M>(
  load: () => Promise<M>,
  name: N,
  alongside?: () => void,
) =>
  lazy<Component<M[N]>>(async () => {
    alongside?.()
    return { default: (await load())[name] as Component<M[N]> }
  })

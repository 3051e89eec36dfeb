import { type ComponentType, lazy } from 'react'

/** A page in a chunk of its own: `lazyPage(() => import('./x.tsx'), 'XPage')`. */
export const lazyPage = <N extends string, P>(
  load: () => Promise<Record<N, ComponentType<P>>>,
  name: N,
) => lazy(async () => ({ default: (await load())[name] }))

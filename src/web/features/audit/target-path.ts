import { paths } from '../../lib/paths/paths.ts'
import { resourcePath } from '../../lib/paths/resource-path.ts'

/** Where the thing an entry speaks of can be seen; undefined for what has no place of its own. */
export function targetPath(target: string): string | undefined {
  const [, kind, id] = /^([a-z]+):(\d{1,10})$/.exec(target) ?? []
  switch (kind) {
    case 'order':
      return `${paths.orders}?order=${id}`
    case 'token':
      return `${paths.tokens}?id=${id}`
    case 'instance':
      return resourcePath('instance', Number(id))
    case 'cluster':
      return `${paths.clusters}?settings=${id}`
    default:
      return undefined
  }
}

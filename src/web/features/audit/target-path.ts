import { paths, serverPath } from '../../lib/paths/paths.ts'

/** Where the target of an entry can be seen; undefined for targets without a page. */
export function targetPath(target: string): string | undefined {
  const [, kind, id] = /^([a-z]+):(\d{1,10})$/.exec(target) ?? []
  switch (kind) {
    case 'order':
      return `${paths.orders}?order=${id}`
    case 'token':
      return `${paths.tokens}?id=${id}`
    case 'instance':
      return serverPath(id ?? '')
    case 'cluster':
      return `${paths.clusters}?settings=${id}`
    default:
      return undefined
  }
}

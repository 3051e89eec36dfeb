import { findPackageJSON } from 'node:module'
import { dirname } from 'node:path'

/** The folder of the product: the same for the sources and for the server built of them. */
export const ROOT = dirname(findPackageJSON(import.meta.url) ?? '.')

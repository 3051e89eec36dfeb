import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import product from './package.json' with { type: 'json' }

const { license, version } = product
const FOLDER = 'dist/cli'
const FILE = 'hushbox.js'

/** What makes the folder a package of its own, without dependencies: `npm pack ./dist/cli`. */
const ownPackage = (): Plugin => ({
  name: 'hushbox-own-package',
  generateBundle() {
    const description = 'The command line of Hushbox: rent and run servers from a terminal.'
    const source = JSON.stringify(
      {
        name: 'hushbox',
        version,
        description,
        license,
        type: 'module',
        bin: { hushbox: FILE },
        files: [FILE],
        engines: { node: '>=20.19' },
      },
      null,
      2,
    )
    this.emitFile({ type: 'asset', fileName: 'package.json', source })
  },
  writeBundle: () => chmodSync(join(FOLDER, FILE), 0o755),
})

/** The command line as one file. */
export default defineConfig({
  plugins: [ownPackage()],
  define: { HUSHBOX_VERSION: JSON.stringify(version) },
  ssr: { noExternal: true },
  build: {
    ssr: 'src/cli/main.ts',
    outDir: FOLDER,
    copyPublicDir: false,
    target: 'node20',
    minify: false,
    rolldownOptions: {
      output: { entryFileNames: FILE, banner: '#!/usr/bin/env node', comments: false },
    },
  },
})

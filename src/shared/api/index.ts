/** The API: every call the server answers. */
export * as api from './nouns.ts'

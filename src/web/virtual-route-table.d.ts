declare module 'virtual:route-table' {
  export * from '#shared/api/nouns.ts'
}

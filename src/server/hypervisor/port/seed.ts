/** A storage that takes our images; a shared one is listed once for the whole cluster. */
export type SeedStore = { name: string; node: string | undefined }

/** An image with the client's user data in place of the VM's own cloud-init drive, and where it is. */
export type Seed = { node: string; volume: string }

/** A local one is read by fewer machines. */
export const storeFor = (stores: readonly SeedStore[], node: string): SeedStore | undefined =>
  stores.find((store) => store.node === node) ?? stores.find((store) => store.node === undefined)

export const LOGIN = 'hushbox:not-a-secret'

/** A chain and a view-only wallet to pay to: Debian's own, or what stands in for it. */
export type MoneroChain = {
  url: string
  env: { PAYMENT_PROVIDER: string } & Record<string, string>
  /** A client sends coins; they are in the pool, and in the next block. Returns the transaction. */
  pay(address: string, pico: bigint, options?: { unlockTime?: number }): Promise<string>
  mine(blocks: number): Promise<void>
  popBlocks(blocks: number): Promise<void>
  emptyPool(): Promise<void>
  close(): Promise<void>
}

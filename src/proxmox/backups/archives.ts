import { z } from 'zod'
import type { Caller, CallOptions } from '../transport/call.ts'
import { nothing, text } from '../wire/answers.ts'
import { path } from '../wire/encoding.ts'
import { Archive } from './answers.ts'

/** A storage as one node sees it: a local one has other archives on every node. */
export type ArchiveStorage = { node: string; storage: string }

export function archiveCalls(call: Caller, { slowMs }: { slowMs: number }) {
  return {
    /** PVE silently omits those that the account may not see (facts-2 §5). */
    list: (
      { node, storage }: ArchiveStorage,
      vmid: number,
      options?: CallOptions,
    ): Promise<Archive[]> =>
      call.get(path`/nodes/${node}/storage/${storage}/content`, z.array(Archive), {
        deadlineMs: slowMs,
        ...options,
        parameters: { content: 'backup', vmid },
      }),

    /** The configuration of the VM at that time, as a text of lines. */
    config: ({ node }: ArchiveStorage, volid: string, options?: CallOptions): Promise<string> =>
      call.get(path`/nodes/${node}/vzdump/extractconfig`, text, {
        deadlineMs: slowMs,
        ...options,
        parameters: { volume: volid },
      }),

    /** A protected archive is deleted neither by us nor by the retention of its storage. */
    protect: (
      { node, storage }: ArchiveStorage,
      { volid, isProtected }: { volid: string; isProtected: boolean },
      options?: CallOptions,
    ): Promise<undefined> =>
      call.send('PUT', path`/nodes/${node}/storage/${storage}/content/${volid}`, nothing, {
        ...options,
        parameters: { protected: isProtected },
      }),
  }
}

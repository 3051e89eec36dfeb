/** What switching an instance needs to know of it. */
export type Powered = {
  id: number
  name: string
  vmId: number
  status: string
  suspended?: { reason: string } | null
}

/** The fields of an instance that a power action needs. */
export type Powered = {
  id: number
  name: string
  label?: string
  vmId: number
  status: string
  suspended?: { reason: string } | null
  /** The state of the time its client has with it, where that is known. */
  term?: string | null
}

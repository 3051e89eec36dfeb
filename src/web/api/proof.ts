/** Removes the reason of a refusal, as by asking for a code; true if the call can be sent again. */
type Mend = (error: unknown) => Promise<boolean>

let mend: Mend | undefined

/** The signed-in area mends; a visitor's pages need not carry how. */
export const mendBy = (next: Mend | undefined) => {
  mend = next
}

export const isMended = (error: unknown) => mend?.(error)

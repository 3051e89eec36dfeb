import { useState } from 'react'
import type { z } from 'zod'

/** Judges a form by the schema of its call: what is wrong, by field, or what to send. */
export function useProblems<S extends z.ZodType>(schema: S) {
  const [problems, setProblems] = useState<Partial<Record<string, string>>>({})
  function check(wish: unknown): z.output<S> | undefined {
    const { data, error } = schema.safeParse(wish)
    const issues = error?.issues ?? []
    setProblems(Object.fromEntries(issues.map(({ path, message }) => [String(path[0]), message])))
    return data
  }
  return { problems, check }
}

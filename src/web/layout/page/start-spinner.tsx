import { Spinner } from '../../ui/indicator/spinner.tsx'

/** Shown until it is known whether a user is signed in. */
export function StartSpinner() {
  return (
    <div className="grid min-h-dvh animate-late place-items-center text-ink-soft text-xl">
      <Spinner label="Loading" />
    </div>
  )
}

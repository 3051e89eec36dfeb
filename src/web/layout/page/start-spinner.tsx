import { Spinner } from '../../ui/indicator/spinner.tsx'

/** Before it is known who is here. */
export function StartSpinner() {
  return (
    <div className="grid min-h-dvh animate-late place-items-center text-ink-soft text-xl">
      <Spinner label="Loading" />
    </div>
  )
}

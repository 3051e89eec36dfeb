import { Component, type ReactNode } from 'react'

type Props = { fallback: (error: Error) => ReactNode; children: ReactNode }

/** React catches rendering errors in class components only; this is the only class that renders. */
export class ErrorBoundary extends Component<Props, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  override render() {
    return this.state.error ? this.props.fallback(this.state.error) : this.props.children
  }
}

import clsx from 'clsx'
import {
  Clipboard,
  Expand,
  Keyboard,
  type LucideIcon,
  RefreshCw,
  Scaling,
  Shrink,
  Smartphone,
  X,
} from 'lucide-react'
import { type ReactNode, useState, useSyncExternalStore } from 'react'
import { Button } from '../../ui/form/button.tsx'

type ToolProps = {
  icon: LucideIcon
  label: string
  onClick: () => void
  isPressed?: boolean
  isDisabled?: boolean
  className?: string
}

/**
 * The label is beside the icon where there is space, and only read out where there is none: not in
 * the 1024 pixels of the console's own window.
 */
function Tool({ icon: Icon, label, onClick, isPressed, isDisabled, className }: ToolProps) {
  return (
    <Button
      size="sm"
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
      disabled={isDisabled}
      className={clsx('max-xl:size-9 max-xl:px-0 aria-pressed:bg-sunken', className)}
      onClick={onClick}
    >
      <Icon aria-hidden="true" className="size-4" />
      <span className="max-xl:hidden">{label}</span>
    </Button>
  )
}

type ConsoleToolbarProps = {
  isOpen: boolean
  /** Name and state of the server, and its power buttons. */
  children: ReactNode
  /** Characters still to be typed. */
  typing: number
  isKeyboardShown: boolean
  onCtrlAltDel: () => void
  onPaste: () => void
  onStopTyping: () => void
  onScale: (isScaled: boolean) => void
  onKeyboard: () => void
  onReconnect: () => void
}

export function ConsoleToolbar({ isOpen, children, typing, ...on }: ConsoleToolbarProps) {
  const [isScaled, setScaled] = useState(true)
  const isFull = useFullScreen()
  const scale = () => {
    on.onScale(!isScaled)
    setScaled(!isScaled)
  }
  return (
    <div
      role="toolbar"
      aria-label="Console"
      className="flex flex-wrap items-center gap-1.5 border-b bg-card p-1.5 text-ink"
    >
      {children}
      <span className="mx-auto" />
      {typing > 0 && (
        <Button size="sm" onClick={on.onStopTyping}>
          <X aria-hidden="true" className="size-4" />
          <span>Stop typing ({typing} left)</span>
        </Button>
      )}
      <Tool icon={Keyboard} label="Ctrl-Alt-Del" isDisabled={!isOpen} onClick={on.onCtrlAltDel} />
      <Tool icon={Clipboard} label="Paste" isDisabled={!isOpen} onClick={on.onPaste} />
      <Tool
        icon={Smartphone}
        label="On-screen keyboard"
        className="pointer-fine:hidden"
        isPressed={on.isKeyboardShown}
        isDisabled={!isOpen}
        onClick={on.onKeyboard}
      />
      <Tool
        icon={Scaling}
        label="Fit to window"
        isPressed={isScaled}
        isDisabled={!isOpen}
        onClick={scale}
      />
      {document.fullscreenEnabled && (
        <Tool
          icon={isFull ? Shrink : Expand}
          label={isFull ? 'Leave full screen' : 'Full screen'}
          onClick={() => void toggleFullScreen()}
        />
      )}
      <Tool icon={RefreshCw} label="Reconnect" onClick={on.onReconnect} />
    </div>
  )
}

const toggleFullScreen = () =>
  document.fullscreenElement
    ? document.exitFullscreen()
    : document.documentElement.requestFullscreen()

const useFullScreen = () =>
  useSyncExternalStore(
    (changed) => {
      document.addEventListener('fullscreenchange', changed)
      return () => document.removeEventListener('fullscreenchange', changed)
    },
    () => document.fullscreenElement !== null,
  )

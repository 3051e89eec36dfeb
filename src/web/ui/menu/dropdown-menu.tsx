import clsx from 'clsx'
import * as Radix from 'radix-ui/dropdown-menu'
import { createContext, type ReactNode, useContext, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useEscape } from '../overlay/escape.ts'

type MenuProps = { trigger: ReactNode; children: ReactNode; isOpenAtFirst?: boolean }

/** Lets an item run its action after the menu has closed. */
const AfterClose = createContext<(act: () => void) => void>((act) => act())

export function DropdownMenu({ trigger, children, isOpenAtFirst = false }: MenuProps) {
  const opener = useRef<HTMLButtonElement>(null)
  const chosen = useRef<() => void>(undefined)
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  const onEscape = useEscape(() => setOpen(false))

  // First the focus returns, then the action runs: a dialog that it opens returns the focus there.
  function finish(event: Event) {
    event.preventDefault()
    opener.current?.focus()
    chosen.current?.()
    chosen.current = undefined
  }

  return (
    <Radix.Root modal={false} open={isOpen} onOpenChange={setOpen}>
      <Radix.Trigger asChild ref={opener}>
        {trigger}
      </Radix.Trigger>
      {/* Inside the page's main part, so that it belongs to a landmark. */}
      <Radix.Portal container={document.querySelector('main')}>
        <Radix.Content
          {...onEscape}
          align="end"
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={finish}
          className="z-30 min-w-52 max-w-72 animate-appear rounded-md border bg-card p-1"
        >
          <AfterClose
            value={(act) => {
              chosen.current = act
            }}
          >
            {children}
          </AfterClose>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

const ITEM_CLASS =
  'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-sm px-2.5 py-1.5 text-left outline-none ' +
  'data-disabled:cursor-default data-highlighted:bg-sunken [&_svg]:size-4 [&_svg]:shrink-0'

type MenuItemProps = {
  icon?: ReactNode
  children: ReactNode
  onSelect: () => void
  isDangerous?: boolean
  /** Why it cannot be chosen now. */
  refusal?: string | undefined
}

export function MenuItem({
  icon,
  children,
  onSelect,
  isDangerous = false,
  refusal,
}: MenuItemProps) {
  const afterClose = useContext(AfterClose)
  return (
    <Radix.Item
      disabled={refusal !== undefined}
      onSelect={() => afterClose(onSelect)}
      className={clsx(
        ITEM_CLASS,
        refusal !== undefined ? 'text-ink-soft' : isDangerous ? 'text-bad' : 'text-ink',
      )}
    >
      {icon}
      <span>
        {children}
        {refusal && <span className="block text-xs">{refusal}</span>}
      </span>
    </Radix.Item>
  )
}

type MenuLinkProps = { icon?: ReactNode; children: ReactNode; href: string }

/** An item that is a real link, so that it can be opened in another tab. */
export function MenuLink({ icon, children, href }: MenuLinkProps) {
  return (
    <Radix.Item asChild className={clsx(ITEM_CLASS, 'text-ink')}>
      <Link href={href}>
        {icon}
        {children}
      </Link>
    </Radix.Item>
  )
}

export function MenuSeparator() {
  return <Radix.Separator className="-mx-1 my-1 h-px bg-line" />
}

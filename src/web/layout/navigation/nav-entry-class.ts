import clsx from 'clsx'

export const navEntryClass = (isCurrent: boolean) =>
  clsx(
    'flex h-9 w-full items-center gap-3 rounded-md px-2.5',
    isCurrent ? 'bg-sunken font-semibold text-ink' : 'text-ink-soft hover:bg-sunken hover:text-ink',
  )

import * as Radix from 'radix-ui/tabs'
import { type ReactNode, useEffect, useRef } from 'react'

export type Tab = { value: string; label: string; content: ReactNode }

type TabsProps = {
  label: string
  tabs: readonly Tab[]
  value: string
  onChange: (value: string) => void
}

export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  const list = useRef<HTMLDivElement>(null)
  // On a narrow screen the list scrolls sideways; the chosen tab is never out of sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new value is the reason to look
  useEffect(() => {
    const active = list.current?.querySelector<HTMLElement>('[data-state=active]')
    const strip = list.current?.parentElement
    if (!active || !strip) return
    // Not scrollIntoView: that also moves where the next Tab starts from, past the skip link.
    strip.scrollLeft = active.offsetLeft - (strip.clientWidth - active.offsetWidth) / 2
  }, [value])
  return (
    <Radix.Root value={value} onValueChange={onChange}>
      <div className="mb-6 overflow-x-auto border-b print:hidden">
        <Radix.List ref={list} aria-label={label} className="flex gap-1">
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.value}
              value={tab.value}
              className="-mb-px h-10 shrink-0 border-transparent border-b-2 px-3 font-semibold text-ink-soft -outline-offset-2 hover:text-ink data-[state=active]:border-ink data-[state=active]:text-ink"
            >
              {tab.label}
            </Radix.Trigger>
          ))}
        </Radix.List>
      </div>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value}>
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}

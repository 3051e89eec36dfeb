import { pageNonce } from '../../lib/browser/page-facts.ts'
import { calendarDay } from '../../lib/format/time.ts'
import { ScrollArea } from '../../ui/layout/scroll-area.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { ChangeItem } from './change-item.tsx'
import { changelog, type Release } from './changelog-data.ts'

export function ChangelogDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog isOpen onClose={onClose} title="Changelog" description="What is new, and since when.">
      <ScrollArea label="Releases" nonce={pageNonce()} className="max-h-[60dvh]">
        <div className="space-y-6 pr-3">
          {changelog.map((release) => (
            <ReleaseNotes key={release.version} release={release} />
          ))}
        </div>
      </ScrollArea>
    </Dialog>
  )
}

function ReleaseNotes({ release }: { release: Release }) {
  return (
    <section>
      <h3 className="flex items-baseline justify-between gap-4">
        <span>Version {release.version}</span>
        <time dateTime={release.date} className="font-normal text-ink-soft text-xs">
          {calendarDay(new Date(`${release.date}T12:00`))}
        </time>
      </h3>
      <ul className="mt-2 divide-y border-y">
        {release.changes.map((change) => (
          <ChangeItem key={change.text} change={change} />
        ))}
      </ul>
    </section>
  )
}

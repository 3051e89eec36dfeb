import { setSingleKeys, useSingleKeys } from '../../lib/browser/single-keys.ts'
import { ToggleField } from '../../ui/form/toggle-field.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { paletteKeys } from './shortcut-keys.ts'

const KEYS: readonly [keys: readonly string[], what: string][] = [
  [paletteKeys, 'Go to a page, find a server, do something'],
  [['/'], 'Search on this page'],
  [['?'], 'This list'],
  [['F8'], 'The last notification'],
  [['Esc'], 'Close what is open'],
  [['↑', '↓', '←', '→'], 'Move in lists, tabs and trees'],
]

export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const isOn = useSingleKeys()
  return (
    <Dialog isOpen onClose={onClose} title="Keyboard shortcuts">
      <dl className="divide-y">
        {KEYS.map(([keys, what]) => (
          <div key={what} className="flex items-center justify-between gap-6 py-2.5">
            <dt>{what}</dt>
            <dd className="flex shrink-0 gap-1">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="min-w-6 rounded-sm border bg-sunken px-1.5 text-center font-mono text-xs leading-6"
                >
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <div className="mt-4 border-t pt-4">
        <ToggleField
          label="Single-key shortcuts"
          hint="Those without Ctrl or ⌘: / and ?"
          checked={isOn}
          onChange={(event) => setSingleKeys(event.target.checked)}
        />
      </div>
    </Dialog>
  )
}

import { Button } from '../../ui/form/button.tsx'
import { Card, CardBody, CardHeader } from '../../ui/layout/card.tsx'
import { ChangeItem } from './change-item.tsx'
import { changelog } from './changelog-data.ts'
import { ChangelogOpener } from './changelog-opener.tsx'

const SHOWN = 3

/** The first three changes of the current version, and how many more there are. */
export function LatestUpdatesCard() {
  const [latest] = changelog
  const rest = latest.changes.length - SHOWN
  return (
    <Card>
      <CardHeader
        title="Latest updates"
        description={`Version ${latest.version}`}
        action={
          <ChangelogOpener>
            {(open) => (
              <Button size="sm" onClick={open}>
                Changelog
              </Button>
            )}
          </ChangelogOpener>
        }
      />
      <CardBody className="py-2">
        <ul className="divide-y">
          {latest.changes.slice(0, SHOWN).map((change) => (
            <ChangeItem key={change.text} change={change} />
          ))}
          {rest > 0 && <li className="py-2 text-ink-soft">+{rest} more</li>}
        </ul>
      </CardBody>
    </Card>
  )
}

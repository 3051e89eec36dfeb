import { brandName, operator } from '../../lib/browser/page-facts.ts'
import { keptThenDeleted } from '../../lib/format/grace-words.ts'
import { OperatorLine } from '../../widgets/facts/operator-line.tsx'
import { Passage, Prose } from './prose.tsx'

/** Change this date together with the text. */
const TERMS_DATE = 'November 15, 2026'

const hasOperator = Object.values(operator).some((value) => value !== '')

export function TermsPage() {
  return (
    <Prose
      title="Terms of Service"
      lead={`What you can expect of ${brandName}, and ${brandName} of you.`}
    >
      <Passage title="Your account">
        <p>
          The username and the password are the account. Whoever has them has the account; we keep
          no copy of the password and cannot send it to you. If you lose it, the words of your
          recovery kit or an administrator can set a new one. One account per device.
        </p>
      </Passage>
      <Passage title="What you rent">
        <p>
          A virtual private server for a prepaid period. What is on it is yours and your
          responsibility, including backups.
        </p>
      </Passage>
      <Passage title="When the time runs out">
        <p>
          The server stops at the moment shown by its countdown and {keptThenDeleted}. Until it is
          deleted you can renew it and get it back as it was; afterwards nobody can bring it back.
          Nothing renews unless you renew it or have turned on automatic renewal.
        </p>
      </Passage>
      <Passage title="What is not allowed">
        <p>
          Attacks on other systems, unsolicited mass mail, sexual abuse of children in any form, and
          anything that puts the other servers or the network at risk. A server used for that is
          stopped. We do not look inside your server; we act on what becomes visible from outside.
        </p>
      </Passage>
      <Passage title="What we promise, and what we do not">
        <p>
          We run the machines with care and tell you the truth about their state. We do not promise
          that they never fail. Money paid for something we could not deliver is not lost: it is
          refunded or kept as credit.
        </p>
      </Passage>
      {hasOperator && (
        <Passage title="Who runs this">
          <OperatorLine />
        </Passage>
      )}
      <Passage title="Ending it">
        <p>
          You can leave at any time: let the time run out, or cancel a server. These terms may
          change for future periods; a period already paid for keeps the terms it was bought under.
        </p>
        <p>Last changed on {TERMS_DATE}.</p>
      </Passage>
    </Prose>
  )
}

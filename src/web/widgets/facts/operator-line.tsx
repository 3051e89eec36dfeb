import { operator } from '../../lib/browser/page-facts.ts'

/** Who runs this, where, and how to reach them; nothing where the operator does not say. */
export function OperatorLine() {
  const { name, place, contact } = operator
  const who = [name, place].filter((part) => part !== '').join(', ')
  if (who === '' && contact === '') return null
  return (
    <p>
      {who !== '' && <>Run by {who}. </>}
      {contact !== '' && (
        <>
          Contact: <ContactLink />
        </>
      )}
    </p>
  )
}

/** The operator's address, ready to use. */
export function ContactLink() {
  const { contact } = operator
  const isPage = /^https?:/.test(contact)
  return (
    <a
      href={isPage ? contact : `mailto:${contact}`}
      rel="noreferrer"
      className="break-words text-link"
    >
      {contact}
    </a>
  )
}

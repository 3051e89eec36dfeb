import { operator } from '../../lib/browser/page-facts.ts'

/** The operator's name, place and contact; nothing where the operator does not say. */
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

/** The operator's contact as a link. */
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

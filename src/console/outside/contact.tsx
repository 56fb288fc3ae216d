import { contactHref } from '../../look/contact.ts'
import { bilingual, useText } from '../lib/language.ts'
import { pageSite } from '../lib/site.ts'

const texts = bilingual({ contact: ['How to reach them:', '联系方式：'] })

/** How to reach the operator, below a sentence that sends people there; nothing where it isn't told. */
export function Contact() {
  const text = useText(texts)
  const { contact } = pageSite
  if (!contact) return null
  const href = contactHref(contact)
  return (
    <p>
      {text.contact} {href === undefined ? <b>{contact}</b> : <a href={href}>{contact}</a>}
    </p>
  )
}

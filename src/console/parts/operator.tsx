import { Anchor, Text } from '@mantine/core'
import { contactHref } from '../../look/contact.ts'
import { bilingual, useText } from '../lib/language.ts'
import { pageSite } from '../lib/site.ts'
import { Colon } from './text.tsx'

const texts = bilingual({ contact: ['Contact', '联系方式'] })

/** How to reach the operator of this gateway, behind a sentence that sends people there; nothing where it isn't told. */
export function OperatorContact() {
  const text = useText(texts)
  const { contact } = pageSite
  if (!contact) return null
  const href = contactHref(contact)
  return (
    <Text span inherit className="cut">
      {' '}
      {text.contact}
      <Colon />
      {href === undefined ? (
        contact
      ) : (
        <Anchor inherit underline="always" href={href}>
          {contact}
        </Anchor>
      )}
    </Text>
  )
}

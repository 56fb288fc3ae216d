import { Tooltip } from '@mantine/core'
import { localeOf } from '../lib/format.ts'
import { useLanguage } from '../lib/language.tsx'

/** A time of the API (ISO 8601, UTC) as local time; UTC on hover and on focus. */
export function Time({ at }: { readonly at: string }) {
  const { language } = useLanguage()
  const local = new Intl.DateTimeFormat(localeOf(language), {
    dateStyle: 'medium',
    timeStyle: 'medium',
  }).format(new Date(at))
  return (
    <Tooltip label={at.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')}>
      <time dateTime={at} style={{ whiteSpace: 'nowrap' }}>
        {local}
      </time>
    </Tooltip>
  )
}

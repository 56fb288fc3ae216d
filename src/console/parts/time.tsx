import { Tooltip } from '@mantine/core'
import { Fragment } from 'react'
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
      <time dateTime={at}>
        {/* Day and time of day may stand below each other, but neither is broken. */}
        {partsOf(local).map((part, at) => (
          <Fragment key={part}>
            {at > 0 && ' '}
            <span style={{ whiteSpace: 'nowrap' }}>{part}</span>
          </Fragment>
        ))}
      </time>
    </Tooltip>
  )
}

/** `Nov 22, 2026,` and `4:40:01 PM`; `2026年11月22日` and `16:40:01`. */
function partsOf(local: string): readonly string[] {
  const time = local.search(/\d{1,2}:\d\d/)
  return [local.slice(0, time).trim(), local.slice(time)].filter((part) => part !== '')
}

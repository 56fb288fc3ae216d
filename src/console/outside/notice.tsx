import type { ReactNode } from 'react'
import { failureWords } from '../lib/failure-words.ts'
import { useLanguage } from '../lib/language.ts'

interface NoticeProps {
  readonly kind: 'bad' | 'mid'
  readonly title?: string
  readonly children?: ReactNode
}

/** Something to know before going on; announced to screen readers when it is a failure. */
export const Notice = ({ kind, title, children }: NoticeProps) => (
  <div className={`notice ${kind}`} role={kind === 'bad' ? 'alert' : undefined}>
    {title && <strong>{title}</strong>}
    {children && <p>{children}</p>}
  </div>
)

/** Why something failed, in words. */
export function Failure({ error }: { readonly error: unknown }) {
  const { title, words, isForeign } = failureWords(error, useLanguage().language)
  return (
    <Notice kind="bad" title={title}>
      {isForeign ? <span lang="en">{words}</span> : words}
    </Notice>
  )
}

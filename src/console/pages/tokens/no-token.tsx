import type { ReactNode } from 'react'
import { useMe } from '../../lib/api.ts'
import { bilingual, useText } from '../../lib/language.ts'
import { OperatorContact } from '../../parts/operator.tsx'
import { Empty } from '../../parts/page.tsx'
import { ButtonLink } from '../../parts/text.tsx'
import { useGroups } from './groups.ts'

interface NoTokenProps {
  /** What a token is for, where it is missing. */
  readonly hint: string
  /** What leads to one; usually a link. */
  readonly action?: ReactNode
}

/** Stands where a token is missing: leads to one, or says why there can be none. */
export function NoToken({ hint, action }: NoTokenProps) {
  const text = useText(texts)
  const groups = useGroups().data?.items
  const isAdmin = useMe().data?.role === 'admin'
  if (groups?.length === 0) {
    return (
      <Empty
        text={{ empty: text.noGroup, emptyHint: isAdmin ? text.noGroupHint : text.noGroupForUser }}
        action={
          isAdmin ? (
            <ButtonLink to="/admin/start">{text.toFirstSteps}</ButtonLink>
          ) : (
            <OperatorContact />
          )
        }
      />
    )
  }
  return (
    <Empty
      text={{ empty: text.noTokenTitle, emptyHint: hint }}
      action={
        action ?? (
          <ButtonLink to="/tokens" search={{ create: 1 }}>
            {text.makeToken}
          </ButtonLink>
        )
      }
    />
  )
}

const texts = bilingual({
  noGroup: ['No token can be made yet', '暂时无法创建令牌'],
  noGroupHint: [
    'A token belongs to a group, and there is none.',
    '令牌属于分组，而目前还没有分组。',
  ],
  noGroupForUser: [
    'A token belongs to a group, and none is open to you. Ask the operator of this gateway.',
    '令牌属于分组，而目前没有向您开放的分组。请联系网关管理员。',
  ],
})

import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, call } from '../lib/api.ts'
import { useText } from '../lib/language.tsx'
import { bilingual } from '../lib/texts.ts'
import { AccountForm } from '../parts/account-form.tsx'
import { Outside } from '../parts/outside.tsx'
import { AnchorLink } from '../parts/text.tsx'

const texts = bilingual({
  title: ['Create an account', '注册账户'],
  submit: ['Create account', '注册'],
  have: ['Have one?', '已有账户？'],
  in: ['Sign in', '登录'],
})

/** Opening an account of one's own, where the site allows it. */
export function Page() {
  const text = useText(texts)
  const navigate = useNavigate()
  const queries = useQueryClient()
  return (
    <Outside title={text.title}>
      <AccountForm
        submitLabel={text.submit}
        onSubmit={async (entry) => {
          await call(api.auth['sign-up'].email.post(entry))
          queries.clear()
          await navigate({ to: '/', replace: true })
        }}
      />
      <Text size="sm">
        {text.have}{' '}
        <AnchorLink to="/sign-in" underline="always">
          {text.in}
        </AnchorLink>
      </Text>
    </Outside>
  )
}

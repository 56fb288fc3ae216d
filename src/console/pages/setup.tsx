import { Alert, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { api, call } from '../lib/api.ts'
import { useText } from '../lib/language.tsx'
import { bilingual } from '../lib/texts.ts'
import { AccountForm } from '../parts/account-form.tsx'
import { Outside } from '../parts/outside.tsx'
import { AnchorLink } from '../parts/text.tsx'

const texts = bilingual({
  title: ['Set up this gateway', '初始化网关'],
  intro: [
    'Create the administrator. The link that led you here works once.',
    '创建管理员账户。此链接只能使用一次。',
  ],
  submit: ['Create administrator', '创建管理员'],
  closed: ['This gateway has an administrator already.', '此网关已有管理员。'],
  noCode: [
    'The address lacks its code. Copy the whole link from the terminal or the log of the gateway.',
    '地址中缺少验证码。请从网关的终端或日志中复制完整链接。',
  ],
  in: ['Sign in', '登录'],
})

/** The first start: makes the administrator. */
export function Page() {
  const text = useText(texts)
  const { code } = useSearch({ strict: false })
  const navigate = useNavigate()
  const queries = useQueryClient()
  const state = useQuery({ queryKey: ['setup'], queryFn: () => call(api.setup.get()) })
  if (state.data?.open === false) {
    return (
      <Outside title={text.title}>
        <Text>{text.closed}</Text>
        <AnchorLink to="/sign-in" underline="always">
          {text.in}
        </AnchorLink>
      </Outside>
    )
  }
  return (
    <Outside title={text.title}>
      {code === undefined ? (
        <Alert color="yellow">{text.noCode}</Alert>
      ) : (
        <>
          <Text>{text.intro}</Text>
          <AccountForm
            submitLabel={text.submit}
            onSubmit={async (entry) => {
              await call(api.setup.post({ ...entry, code: String(code) }))
              queries.clear()
              await navigate({ to: '/admin', replace: true })
            }}
          />
        </>
      )}
    </Outside>
  )
}

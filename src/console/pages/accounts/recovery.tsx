import { Group, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { AccountDetail, WaysIn } from '../../../admin/accounts/schema.ts'
import { api, call, useCall } from '../../lib/api.ts'
import { bilingual, useText } from '../../lib/language.ts'
import { Dialog, sayDone, useRefresh } from '../../parts/action.tsx'
import { ProofDialog, ProofField } from '../../parts/fields.tsx'
import { inputsOf, SendForm } from '../../parts/form.tsx'
import { Loaded, Section } from '../../parts/page.tsx'
import { FactList } from '../../parts/text.tsx'

const recoveryText = bilingual({
  title: ['Sign-in', '登录方式'],
  hint: [
    'For an owner who can not sign in any more. Be sure that it is the owner who asks.',
    '用于账户所有者无法登录时。请先确认提出请求的是其本人。',
  ],
  self: ['Your own ways to sign in are in your profile.', '您自己的登录方式在个人资料中。'],
  has_password: ['Password', '密码'],
  two_factor: ['Second factor', '两步验证'],
  passkeys: ['Passkeys', '通行密钥'],
  providers: ['Providers', '第三方登录'],
  yes: ['yes', '有'],
  no: ['none', '无'],
  setPassword: ['Set a new password', '设置新密码'],
  setPasswordText: [
    '{email} is signed out everywhere, and its passkeys and linked providers are removed. Tell its owner the password, to be changed after signing in.',
    '{email} 将在所有设备上退出登录，其通行密钥和关联的第三方登录会被移除。请将密码告知其所有者，并提醒登录后修改。',
  ],
  new_password: ['New password of the account', '该账户的新密码'],
  new_passwordHint: ['At least 10 characters.', '至少 10 个字符。'],
  password: ['Your own password', '您自己的密码'],
  passwordHint: ['To be sure that it is you.', '用于确认是您本人。'],
  isSet: [
    '{email} has another password, and is signed out.',
    '已为 {email} 设置新密码，并退出其登录。',
  ],
  removeFactor: ['Remove the second factor', '移除两步验证'],
  removeFactorText: [
    '{email} signs in with the password alone then, and is signed out everywhere.',
    '之后 {email} 仅凭密码登录，并会在所有设备上退出登录。',
  ],
  isRemoved: ['The second factor of {email} is removed.', '已移除 {email} 的两步验证。'],
})

/** What an account can sign in with, and how its owner gets in again. */
export function Recovery({ account }: { readonly account: AccountDetail }) {
  const text = useText(recoveryText)
  const { id, is_self } = account
  const ways = useCall(['ways-in', String(id)], () => api.admin.accounts({ id })['sign-in'].get())
  return (
    <Section title={text.title} hint={is_self ? text.self : text.hint}>
      <Loaded query={ways} waiting={<Skeleton height={44} />}>
        {(ways) => <Ways ways={ways} />}
      </Loaded>
      {!is_self && (
        <Group>
          <Dialog label={text.setPassword} look={{ variant: 'default' }}>
            {(close) => <PasswordForm account={account} close={close} />}
          </Dialog>
          {ways.data?.two_factor && <RemoveFactor account={account} />}
        </Group>
      )}
    </Section>
  )
}

function Ways({ ways }: { readonly ways: WaysIn }) {
  const text = useText(recoveryText)
  const word = (has: boolean) => (has ? text.yes : text.no)
  return (
    <SimpleGrid component="dl" cols={{ base: 2, xs: 4 }} spacing="sm" m={0}>
      <FactList
        facts={[
          [text.has_password, word(ways.has_password)],
          [text.two_factor, word(ways.two_factor)],
          [text.passkeys, String(ways.passkeys)],
          [text.providers, ways.providers.join(', ') || text.no],
        ]}
      />
    </SimpleGrid>
  )
}

function RemoveFactor({ account: { id, email } }: { readonly account: AccountDetail }) {
  const text = useText(recoveryText)
  const refresh = useRefresh()
  return (
    <ProofDialog
      label={text.removeFactor}
      look={{ variant: 'default' }}
      text={text}
      hint={text.removeFactorText(email)}
      submit={text.removeFactor}
      send={async (proof) => {
        await call(api.admin.accounts({ id })['two-factor'].delete(proof))
        await refresh('ways-in', 'audit')
        sayDone(text.isRemoved(email))
      }}
    />
  )
}

interface PasswordFormProps {
  readonly account: AccountDetail
  readonly close: () => void
}

function PasswordForm({ account: { id, email }, close }: PasswordFormProps) {
  const text = useText(recoveryText)
  const refresh = useRefresh()
  const form = useForm({ initialValues: { new_password: '', password: '' } })
  return (
    <SendForm
      form={form}
      send={async ({ new_password, password }) => {
        const proof = { password: password || null }
        await call(api.admin.accounts({ id }).password.post({ new_password, ...proof }))
        await refresh('ways-in', 'audit')
        sayDone(text.isSet(email))
        close()
      }}
      submit={text.setPassword}
      look={{ color: 'red' }}
      cancel={close}
    >
      <Text size="sm">{text.setPasswordText(email)}</Text>
      {inputsOf(form, text).secret('new_password', {
        ...{ autoComplete: 'new-password', 'data-autofocus': true },
      })}
      <ProofField form={form} text={text} />
    </SendForm>
  )
}

import { Alert, Button, Group, Text } from '@mantine/core'
import { CallFailed } from '../lib/api.ts'
import { type Language, type Texts, useLanguage, useText } from '../lib/language.tsx'

const en = {
  title: 'This did not work',
  unreachable: 'The gateway could not be reached. Is it running, and are you online?',
  retry: 'Try again',
}

const texts: Texts<typeof en> = {
  en,
  zh: {
    title: '操作未成功',
    unreachable: '无法连接网关。请确认它正在运行且网络正常。',
    retry: '重试',
  },
}

/** What a refusal means, by its machine word: the message itself is always in English. */
const titles: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  not_found: { en: 'This is not there', zh: '找不到该内容，可能已被删除' },
  not_allowed: { en: 'This is not allowed', zh: '没有权限' },
  not_signed_in: { en: 'You are not signed in', zh: '尚未登录' },
  sign_in_again: { en: 'Sign in again', zh: '请重新登录' },
  wrong_credentials: { en: 'E-mail or password is wrong', zh: '邮箱或密码错误' },
  wrong_password: { en: 'The password is wrong', zh: '密码错误' },
  wrong_code: { en: 'The code is wrong', zh: '验证码错误' },
  registration_closed: { en: 'Registration is closed', zh: '未开放注册' },
  invalid_value: { en: 'Something entered does not fit', zh: '输入的内容有误' },
  conflict: { en: 'Somebody else has changed this meanwhile', zh: '其他人刚刚修改了它' },
  in_use: { en: 'It is still in use', zh: '仍在使用中' },
  name_taken: { en: 'This name is taken', zh: '名称已被占用' },
  would_overdraw: { en: 'The balance is too small', zh: '余额不足' },
  too_many_requests: { en: 'Too many requests: wait a little', zh: '操作过于频繁，请稍候' },
  unavailable: { en: 'Not available at this moment', zh: '暂时不可用，请稍后重试' },
  internal: { en: 'The gateway failed', zh: '网关内部错误' },
}

interface ErrorNoticeProps {
  readonly error: unknown
  /** What to do about it, where trying again may help. */
  readonly retry?: () => void
}

/** An error in words, with the way out. Announced to screen readers. */
export function ErrorNotice({ error, retry }: ErrorNoticeProps) {
  const text = useText(texts)
  const { language } = useLanguage()
  const isUnreachable = error instanceof CallFailed && error.status === 0
  const message = error instanceof Error ? error.message : String(error)
  const title = error instanceof CallFailed ? titles[error.reason]?.[language] : undefined
  return (
    <Alert color="red" title={title ?? text.title} role="alert" my="md">
      <Group justify="space-between">
        <Text size="sm" className="cut">
          {isUnreachable ? text.unreachable : <span lang="en">{message}</span>}
        </Text>
        {retry && (
          <Button size="xs" variant="light" color="red" onClick={retry}>
            {text.retry}
          </Button>
        )}
      </Group>
    </Alert>
  )
}

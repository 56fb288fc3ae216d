import { Alert, Button, Group, Text } from '@mantine/core'
import { CallFailed } from '../lib/api.ts'
import { faultText } from '../lib/fault-text.ts'
import { useLanguage, useText } from '../lib/language.tsx'
import { reasonText } from '../lib/reason-text.ts'
import { bilingual } from '../lib/texts.ts'

const texts = bilingual({
  title: ['This did not work', '操作未成功'],
  unreachable: [
    'The gateway could not be reached. Is it running, and are you online?',
    '无法连接网关。请确认它正在运行且网络正常。',
  ],
  retry: ['Try again', '重试'],
})

interface ErrorNoticeProps {
  readonly error: unknown
  /** What to do about it, where trying again may help. */
  readonly retry?: () => void
}

/** What their few words say is all that there is to say. */
const clear = [
  'wrong_credentials',
  'wrong_passkey',
  'begin_again',
  'wrong_password',
  'wrong_code',
  'not_signed_in',
  'sign_in_again',
]

/** The API's sentences are in English on every page. */
const Words = ({ shown, isOwn }: { readonly shown: string; readonly isOwn: boolean }) =>
  isOwn ? shown : <span lang="en">{shown}</span>

/** An error in words, with the way out. Announced to screen readers. */
export function ErrorNotice({ error, retry }: ErrorNoticeProps) {
  const text = useText(texts)
  const { language } = useLanguage()
  const isUnreachable = error instanceof CallFailed && error.status === 0
  const message = error instanceof Error ? error.message : String(error)
  const { fault } = error instanceof CallFailed ? error : {}
  const shown = faultText({ message, fault }, language)
  const title = error instanceof CallFailed ? reasonText(error.reason, language) : undefined
  const isSaid = language !== 'en' && error instanceof CallFailed && clear.includes(error.reason)
  return (
    <Alert color="red" title={title ?? text.title} role="alert" my="md">
      <Group justify="space-between">
        <Text size="sm" className="cut">
          {isUnreachable
            ? text.unreachable
            : !isSaid && <Words shown={shown} isOwn={shown !== message} />}
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

import { Anchor, Button, Center, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useText } from '../lib/language.tsx'
import { bilingual } from '../lib/texts.ts'

const texts = bilingual({
  title: ['This page has a fault', '此页面出错了'],
  hint: [
    'It can not be shown. Load it again; if that does not help, tell whoever runs this gateway what stands below.',
    '页面无法显示。请重新加载；如果仍然出错，请把下面的内容告诉网关管理员。',
  ],
  again: ['Load it again', '重新加载'],
  back: ['To the overview', '返回概览'],
})

/** Stands where a page has failed by a fault of its own. */
export function Fault({ error }: { readonly error: unknown }) {
  const text = useText(texts)
  return (
    <Center mih="60vh">
      <Stack align="center" p="md" maw={560} ta="center">
        <Title order={1}>{text.title}</Title>
        <Text>{text.hint}</Text>
        <Text size="sm" ff="monospace" className="cut" lang="en">
          {String(error)}
        </Text>
        <Button onClick={() => location.reload()}>{text.again}</Button>
        <Anchor component={Link} to="/">
          {text.back}
        </Anchor>
      </Stack>
    </Center>
  )
}

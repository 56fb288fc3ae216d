import { Anchor, Button, Center, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type Texts, useText } from '../lib/language.tsx'

const en = {
  title: 'This page has a fault',
  hint: 'It can not be shown. Load it again; if that does not help, tell whoever runs this gateway what stands below.',
  again: 'Load it again',
  back: 'To the overview',
}

const texts: Texts<typeof en> = {
  en,
  zh: {
    title: '此页面出错了',
    hint: '页面无法显示。请重新加载；如果仍然出错，请把下面的内容告诉网关管理员。',
    again: '重新加载',
    back: '返回概览',
  },
}

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

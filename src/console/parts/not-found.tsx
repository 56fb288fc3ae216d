import { Anchor, Center, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type Texts, useText } from '../lib/language.tsx'

const en = { title: 'There is no such page', back: 'To the overview' }

const texts: Texts<typeof en> = { en, zh: { title: '页面不存在', back: '返回概览' } }

/** For addresses that lead nowhere. */
export function NotFound() {
  const text = useText(texts)
  return (
    <Center mih="60vh" component="main">
      <Stack align="center" p="md" ta="center">
        <Title order={1}>{text.title}</Title>
        <Text>
          <Anchor component={Link} to="/">
            {text.back}
          </Anchor>
        </Text>
      </Stack>
    </Center>
  )
}

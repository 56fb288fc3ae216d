import { Anchor, Center, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useText } from '../lib/language.tsx'
import { bilingual } from '../lib/texts.ts'

const texts = bilingual({
  title: ['There is no such page', '页面不存在'],
  back: ['To the overview', '返回概览'],
})

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

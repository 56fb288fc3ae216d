import {
  Button,
  Center,
  Group,
  Menu,
  Paper,
  Stack,
  Text,
  Title,
  useMantineColorScheme,
} from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { usePublicSettings } from '../lib/api.ts'
import { type Language, languages, useLanguage, useText } from '../lib/language.ts'
import { shellText } from './shell-text.ts'

/** The frame of the pages that need no session: one card in the middle. */
export function Outside({ title, children }: { title: string; children: ReactNode }) {
  const site = usePublicSettings().data?.site_name ?? 'Tollgate'
  useEffect(() => {
    document.title = `${title} · ${site}`
  }, [title, site])
  return (
    <Stack mih="100vh" p="md" gap={0}>
      <Group justify="space-between" component="header">
        <Text fw={700} className="cut">
          {site}
        </Text>
        <LookMenu />
      </Group>
      <Center flex={1} component="main" py="xl">
        <Paper withBorder p={{ base: 'md', xs: 'xl' }} w="100%" maw={440}>
          <Stack>
            <Title order={1} size="h3">
              {title}
            </Title>
            {children}
          </Stack>
        </Paper>
      </Center>
    </Stack>
  )
}

/** Language and appearance. */
export function LookMenu() {
  const text = useText(shellText)
  const { language, choose } = useLanguage()
  const short = language === 'zh' ? '中' : 'EN'
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="subtle"
          size="compact-sm"
          aria-label={`${short} · ${text.language}, ${text.scheme}`}
        >
          {short}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Choices label={text.language}>
          {(Object.keys(languages) as Language[]).map((name) => (
            <Menu.Item
              key={name}
              lang={name}
              aria-current={name === language ? true : undefined}
              fw={name === language ? 700 : undefined}
              onClick={() => choose(name)}
            >
              {languages[name]}
            </Menu.Item>
          ))}
        </Choices>
        <Choices label={text.scheme}>
          {(['auto', 'light', 'dark'] as const).map((scheme) => (
            <Menu.Item
              key={scheme}
              aria-current={scheme === colorScheme ? true : undefined}
              fw={scheme === colorScheme ? 700 : undefined}
              onClick={() => setColorScheme(scheme)}
            >
              {text[scheme]}
            </Menu.Item>
          ))}
        </Choices>
      </Menu.Dropdown>
    </Menu>
  )
}

/** Of these one holds. */
const Choices = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a menu
  <div role="group" aria-label={label}>
    <Menu.Label aria-hidden>{label}</Menu.Label>
    {children}
  </div>
)

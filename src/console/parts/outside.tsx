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
import { languages, useLanguage, useText } from '../lib/language.ts'
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
        <Choices label={text.language} of={languages} chosen={language} choose={choose} />
        <Choices
          label={text.scheme}
          of={{ auto: text.auto, light: text.light, dark: text.dark }}
          chosen={colorScheme}
          choose={setColorScheme}
        />
      </Menu.Dropdown>
    </Menu>
  )
}

interface ChoicesProps<Name extends string> {
  readonly label: string
  readonly of: Readonly<Record<Name, string>>
  readonly chosen: Name
  readonly choose: (name: Name) => void
}

function Choices<Name extends string>({ label, of, chosen, choose }: ChoicesProps<Name>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a menu
    <div role="group" aria-label={label}>
      <Menu.Label aria-hidden>{label}</Menu.Label>
      {(Object.entries(of) as [Name, string][]).map(([name, title]) => (
        <Menu.Item
          key={name}
          lang={name in languages ? name : undefined}
          {...(name === chosen && { 'aria-current': true, fw: 700 })}
          onClick={() => choose(name)}
        >
          {title}
        </Menu.Item>
      ))}
    </div>
  )
}

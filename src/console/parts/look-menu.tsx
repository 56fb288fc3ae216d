import { Button, type Menu as MenuParts, useMantineColorScheme } from '@mantine/core'
import IconCheck from '@tabler/icons-react/icons/IconCheck'
import { languages, useLanguage, useText } from '../lib/language.ts'
import { lookText } from './look-text.ts'
import { MenuButton } from './menu-button.tsx'

/** Language and appearance. */
export function LookMenu() {
  const text = useText(lookText)
  const { language, choose } = useLanguage()
  const short = language === 'zh' ? '中' : 'EN'
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <MenuButton
      button={
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          aria-label={`${short} · ${text.language}, ${text.scheme}`}
        >
          {short}
        </Button>
      }
    >
      {(menu) => (
        <>
          <Choices {...{ menu, label: text.language, of: languages, chosen: language, choose }} />
          <Choices
            {...{ menu, label: text.scheme, chosen: colorScheme, choose: setColorScheme }}
            of={{ auto: text.auto, light: text.light, dark: text.dark }}
          />
        </>
      )}
    </MenuButton>
  )
}

interface ChoicesProps<Name extends string> {
  readonly menu: typeof MenuParts
  readonly label: string
  readonly of: Readonly<Record<Name, string>>
  readonly chosen: Name
  readonly choose: (name: Name) => void
}

function Choices<Name extends string>(props: ChoicesProps<Name>) {
  const { menu: Menu, label, of, chosen, choose } = props
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a menu
    <div role="group" aria-label={label}>
      <Menu.Label aria-hidden>{label}</Menu.Label>
      {(Object.entries(of) as [Name, string][]).map(([name, title]) => (
        <Menu.Item
          key={name}
          lang={name in languages ? name : undefined}
          {...(name === chosen && {
            ...{ 'aria-current': true, fw: 700 },
            rightSection: <IconCheck size={16} stroke={1.75} />,
          })}
          onClick={() => choose(name)}
        >
          {title}
        </Menu.Item>
      ))}
    </div>
  )
}

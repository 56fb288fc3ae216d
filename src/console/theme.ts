import { createTheme } from '@mantine/core'
import type { Language } from './lib/language.ts'

const closeLabels: Readonly<Record<Language, string>> = { en: 'Close', zh: '关闭' }
const eyeLabels: Readonly<Record<Language, string>> = {
  en: 'Show or hide the password',
  zh: '显示或隐藏密码',
}

/** The console's look: the system's own font, one accent; crosses say what they do. */
export const themeOf = (language: Language) =>
  createTheme({
    primaryColor: 'cyan',
    // Dark enough for white text, in the dark, too.
    primaryShade: 9,
    autoContrast: true,
    defaultRadius: 'md',
    fontFamily:
      'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif',
    fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
    headings: { fontWeight: '600' },
    cursorType: 'pointer',
    // As `header` they would be a second banner of the page.
    components: {
      ModalHeader: { defaultProps: { component: 'div' } },
      DrawerHeader: { defaultProps: { component: 'div' } },
      PasswordInput: {
        defaultProps: { visibilityToggleButtonProps: { 'aria-label': eyeLabels[language] } },
      },
      Badge: { defaultProps: { tt: 'none' } },
      CloseButton: { defaultProps: { 'aria-label': closeLabels[language] } },
    },
    respectReducedMotion: true,
  })
